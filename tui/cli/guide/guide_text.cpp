// What `tessera guide` prints: a page for people, a document for scripts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tui/cli/guide/guide.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"

namespace tessera::cli {
namespace {

Json number(std::int64_t value) { return Json::of(value); }
template <class T>
Json number_or_null(const std::optional<T>& value) {
  if (!value) return {};
  if constexpr (requires { value->value; })
    return number(value->value);
  else
    return number(*value);
}
template <class List, class Make>
Json list_of(const List& list, Make make) {
  Json json = Json::list();
  for (const auto& one : list) json.items.push_back(make(one));
  return json;
}
Json text_of(const std::string& text) { return Json::of(text); }
Json id_of(const WorkloadId& id) { return Json::of(id.text); }

Json step_json(const guide::ResultStep& step) {
  Json json = Json::map();
  json.add("question", Json::of(step.question));
  json.add("text", Json::of(step.text));
  json.add("answer", Json::of(std::string(step.yes ? "yes" : "no")));
  json.add("source", Json::of(step.source));
  json.add("because", Json::of(step.because));
  return json;
}

Json limit_json(const sharing::Limit& limit) {
  Json json = Json::map();
  json.add("id", Json::of(limit.id));
  json.add("kind", Json::of(std::string(sharing::word(limit.kind))));
  json.add("text", Json::of(limit.text));
  json.add("value", number_or_null(limit.value));
  return json;
}

Json board_json(const guide::BoardProposal& board) {
  Json json = Json::map();
  json.add("node", text_or_null(board.node.text));
  json.add("gpu", number_or_null(board.gpu));
  json.add("layout", text_or_null(board.wish));
  json.add("kept", number(board.kept));
  json.add("ends", list_of(board.ends, id_of));
  return json;
}

Json layout_json(const guide::Proposal& one, const std::vector<std::string>& commands) {
  Json json = Json::map();
  json.add("title", Json::of(one.title));
  json.add("strategy", Json::of(std::string(word(one.strategy))));
  json.add("layout", text_or_null(one.layout));
  json.add("preset", text_or_null(one.preset.value_or("")));
  json.add("replicas", number_or_null(one.replicas));
  json.add("vgpu", text_or_null(one.vgpu.text));
  json.add("memory_share_mib", number_or_null(one.memory_share));
  Json& counts = json.add("advertised", Json::map());
  for (const auto& [resource, count] : one.advertised) counts.add(resource, number(count));
  json.add("fit", list_of(one.fit, id_of));
  json.add("wait", list_of(one.wait, id_of));
  json.add("ends", list_of(one.ends, id_of));
  json.add("rehoused", list_of(one.rehoused, id_of));
  json.add("stranded_memory_slices", number(one.stranded_memory));
  json.add("stranded_compute_slices", number(one.stranded_compute));
  json.add("notes", list_of(one.notes, text_of));
  json.add("commands", list_of(commands, text_of));
  json.add("boards", list_of(one.boards, board_json));
  return json;
}

// By id, as there may be several of one: a pod for each resource.
Json advice_json(const std::vector<guide::Advice>& all) {
  Json json = Json::map();
  for (const guide::Advice& one : all) {
    Json text = Json::map();
    text.add("title", Json::of(one.title));
    text.add("text", Json::of(one.text));
    auto found = std::find_if(json.fields.begin(), json.fields.end(),
                              [&](const auto& field) { return field.first == one.id; });
    Json& list = found == json.fields.end() ? json.add(one.id, Json::list()) : found->second;
    list.items.push_back(std::move(text));
  }
  return json;
}

Json needed_json(const guide::NeededAnswer& needed) {
  Json json = Json::map();
  json.add("question", Json::of(needed.question));
  json.add("text", Json::of(needed.text));
  json.add("known", Json::of(needed.known));
  json.add("flag", Json::of("--answer " + needed.question + "=yes|no"));
  return json;
}

Json finding_json(const guide::HabitFinding& finding) {
  Json json = Json::map();
  json.add("id", Json::of(finding.id));
  json.add("workload", Json::of(finding.workload.text));
  json.add("text", Json::of(finding.text));
  json.add("hint", Json::of(finding.hint));
  return json;
}

Json group_json(const GuideAnswer& answer) {
  const guide::GuideResult& result = answer.result;
  Json json = Json::map();
  json.add("about", Json::of(answer.name));
  json.add("product", text_or_null(answer.product));
  json.add("platform", Json::of(std::string(sharing::word(answer.platform))));
  json.add("strategy", result.strategy ? Json::of(std::string(word(*result.strategy))) : Json());
  json.add("path", list_of(result.path, step_json));
  json.add("tradeoffs", list_of(result.tradeoffs, text_of));
  json.add("limits", list_of(result.limits, limit_json));
  Json& layouts = json.add("layouts", Json::list());
  for (std::size_t i = 0; i < result.layouts.size(); ++i)
    layouts.items.push_back(layout_json(result.layouts[i], answer.commands.at(i)));
  Json& ways = json.add("ways", Json::map());
  ways.add("onward", result.strategy ? Json::of(std::string(guide::word(result.ways.onward))) : Json());
  ways.add("texts", list_of(result.ways.texts, text_of));
  json.add("advice", advice_json(result.advice));
  json.add("needed", list_of(result.needed, needed_json));
  return json;
}

// --- for people, at 80 columns

class Page {
 public:
  explicit Page(tui::WordsPtr words) : words_(std::move(words)) {}
  std::string told(std::string_view text) const { return tui::told(words_, text); }
  const tui::WordsPtr& words() const { return words_; }
  void blank() { text_ += "\n"; }
  void title(const std::string& text) { text_ += told(text) + "\n"; }
  void section(const std::string& text) { text_ += "\n" + told(text) + "\n"; }
  void line(std::string_view text, std::size_t indent = 2) { text_ += wrapped(told(text), indent); }
  void plain(std::string_view text, std::size_t indent) { text_ += wrapped(text, indent); }
  void facts(std::string_view text, std::size_t indent) {
    text_ += wrapped(tui::told_facts(words_, text), indent);
  }
  // The first line begins with `mark`, the others below its end.
  void item(std::string_view mark, std::string_view text) {
    std::string lines = wrapped(told(text), mark.size() + 2);
    lines.replace(2, mark.size(), mark);
    text_ += lines;
  }
  void raw(const std::string& text, std::size_t indent) {
    const std::string blanks(indent, ' ');
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      text_ += blanks + text.substr(at, end - at) + "\n";
      at = end + 1;
    }
  }
  std::string take() { return std::move(text_); }

 private:
  tui::WordsPtr words_;
  std::string text_;
};

// Told phrase by phrase: each has a list or counts of its own.
std::string counted(const Page& page, const guide::Proposal& one) {
  std::vector<std::string> parts;
  for (const auto& [resource, count] : one.advertised) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, resource));
  }
  std::vector<std::string> all;
  if (!parts.empty()) all.push_back(fmt::format("offers {}", fmt::join(parts, ", ")));
  const std::size_t waiting = one.fit.size() + one.wait.size();
  if (waiting > 0) all.push_back(fmt::format("{} of {} waiting would start", one.fit.size(), waiting));
  if (!one.ends.empty())
    all.push_back(fmt::format("{} must end or move first ({} of them fit a slice of this layout)",
                              one.ends.size(), one.rehoused.size()));
  if (one.stranded_memory + one.stranded_compute > 0)
    all.push_back(
        fmt::format("stranded: {} compute and {} memory slices", one.stranded_compute, one.stranded_memory));
  std::string text;
  for (const std::string& phrase : all) text += (text.empty() ? "" : "; ") + page.told(phrase);
  return text;
}

void add_path(Page& page, const GuideAnswer& answer) {
  for (const guide::ResultStep& step : answer.result.path) {
    page.item(fmt::format("{} {:<4}", step.question, step.yes ? "yes" : "no"), step.text);
    const bool admin = step.source == "admin";
    std::string why = admin ? "by --answer" : step.because;
    if (admin && step.because != "unknown") why += "; known was " + step.because;
    page.facts(why, 9);
  }
}

void add_needed(Page& page, const GuideAnswer& answer) {
  page.section("Not decided yet. Answers that are needed:");
  for (const guide::NeededAnswer& needed : answer.result.needed) {
    page.item(fmt::format("{} ?   ", needed.question), needed.text);
    if (needed.known != "unknown") page.line("known: " + needed.known, 9);
    page.line(fmt::format("give --answer {0}=yes or --answer {0}=no", needed.question), 10);
  }
}

void add_layouts(Page& page, const GuideAnswer& answer) {
  if (answer.result.layouts.empty()) return;
  page.section("Layouts, best first");
  int number = 0;
  for (const guide::Proposal& one : answer.result.layouts) {
    const std::vector<std::string>& commands = answer.commands.at(static_cast<std::size_t>(number));
    page.item(fmt::format("{:>2} ", ++number), one.title + (one.preset ? " (" + *one.preset + ")" : ""));
    if (std::string text = counted(page, one); !text.empty()) page.plain(text, 5);
    for (const std::string& note : one.notes) page.line(note, 5);
    for (const std::string& command : commands) page.raw(command, 5);
  }
}

void add_limits(Page& page, const GuideAnswer& answer) {
  for (const sharing::Limit& limit : answer.result.limits)
    page.item(limit.kind == sharing::LimitKind::broken    ? "!!"
              : limit.kind == sharing::LimitKind::caution ? "! "
                                                          : "- ",
              limit.text);
}

void add_leaf(Page& page, const GuideAnswer& answer) {
  page.section(fmt::format("{}: {}", answer.title, answer.summary));
  page.line(answer.meaning);
  page.section("To accept");
  for (const std::string& one : answer.result.tradeoffs) page.item("- ", one);
  page.section(fmt::format("Limits here ({}: {})", sharing::title(answer.platform), answer.platform_from));
  add_limits(page, answer);
  if (!answer.result.ways.texts.empty()) page.section("Where it goes on");
  for (const std::string& one : answer.result.ways.texts) page.item("-> ", one);
  add_layouts(page, answer);
  if (!answer.result.advice.empty()) page.section("To hand out");
  for (const guide::Advice& one : answer.result.advice) {
    page.line(one.title);
    page.raw(tui::told_comments(page.words(), one.text), 4);
  }
}

}  // namespace

std::string print_guide(const GuideSheet& sheet, const Options& options) {
  if (options.output == OutputFormat::json || options.output == OutputFormat::yaml) {
    Json json = sheet.groups.size() == 1 ? group_json(sheet.groups.front()) : Json::map();
    if (sheet.groups.size() > 1) json.add("groups", list_of(sheet.groups, group_json));
    json.add("findings", list_of(sheet.findings, finding_json));
    return document(json, options.output == OutputFormat::json ? Markup::json : Markup::yaml);
  }
  Page page(options.reader);
  for (const GuideAnswer& answer : sheet.groups) {
    if (&answer != &sheet.groups.front()) page.blank();
    page.title(answer.name);
    page.blank();
    add_path(page, answer);
    if (answer.result.strategy)
      add_leaf(page, answer);
    else
      add_needed(page, answer);
    if (!answer.result.strategy) add_limits(page, answer);
  }
  if (!sheet.findings.empty()) page.section("Seen here");
  for (const guide::HabitFinding& finding : sheet.findings) {
    page.item("! ", finding.text);
    if (!finding.hint.empty()) page.line(finding.hint, 5);
  }
  return options.ascii ? in_ascii(page.take()) : page.take();
}

}  // namespace tessera::cli
