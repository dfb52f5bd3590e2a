#include "tui/cli/change/journal.hpp"

#include <fmt/format.h>

#include "engine/json.hpp"
#include "engine/text.hpp"
#include "engine/text_bounds.hpp"
#include "engine/time.hpp"
#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/change/runs_list.hpp"
#include "tui/cli/command_table.hpp"
#include "tui/cli/help/help.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/table_text.hpp"
#include "tui/terminal/canvas.hpp"

namespace tessera::cli {
namespace {

Markup markup_of(OutputFormat output) { return output == OutputFormat::yaml ? Markup::yaml : Markup::json; }

Json clean_or_null(const std::string& text) { return text.empty() ? Json() : Json::of(clean(text)); }
Json time_or_null(TimePoint at) { return at == TimePoint{} ? Json() : Json::of(utc_text(at)); }

Json head_json(const RunHead& head) {
  Json json = Json::map();
  json.add("run", Json::of(clean(head.run)));
  json.add("state", Json::of(std::string(word(head.state))));
  json.add("here", Json::of(head.here));
  json.add("who", Json::of(clean(head.who)));
  json.add("from", Json::of(clean(head.from)));
  json.add("cluster", Json::of(clean(head.cluster.text)));
  Json& nodes = json.add("nodes", Json::list());
  for (const NodeName& node : head.nodes) nodes.items.push_back(Json::of(clean(node.text)));
  json.add("words", Json::of(clean(head.words)));
  json.add("undoes", clean_or_null(head.undoes));
  json.add("started", time_or_null(head.started));
  json.add("last", time_or_null(head.last));
  json.add("progress", Json::of(clean(head.progress)));
  json.add("why", Json::of(clean(head.why, kWholeText)));
  json.add("place", Json::of(clean(head.place)));
  json.add("outcome", clean_or_null(head.outcome));
  json.add("file", clean_or_null(head.file));
  json.add("unarmed", clean_or_null(head.unarmed));
  Json& changed = json.add("changed", Json::list());
  for (const std::string& line : head.changed) changed.items.push_back(Json::of(line));
  return json;
}

std::string nodes_text(const std::vector<NodeName>& nodes) {
  if (nodes.empty()) return "?";
  std::string first = clean(nodes.front().text, 200);
  return nodes.size() == 1 ? first : fmt::format("{} +{}", first, nodes.size() - 1);
}

std::string outcome_text(const RunHead& head) {
  if (head.state != RunState::finished || head.outcome.empty()) return std::string(word(head.state));
  return head.outcome == "wanted" ? "finished" : "finished: " + clean(head.outcome, 40);
}

std::string list_text(const std::vector<RunHead>& runs, const Options& options) {
  if (runs.empty())
    return wrapped(
        tui::told(options.reader,
                  "No run is known here. tessera apply begins one; where colleagues share a folder "
                  "of journals, name it with --runs."),
        0);
  Grid grid;
  using query::Show;
  grid.heads = {{"run", "RUN", {}},
                {"state", "STATE", {}},
                {"since", "SINCE", {}, Show::roomy},
                {"who", "WHO", {}, Show::roomy},
                {"nodes", "NODES", {}},
                {"words", "WANTED", {}}};
  for (const RunHead& head : runs)
    grid.rows.push_back({clean(head.run, 200), outcome_text(head),
                         head.started == TimePoint{} ? "?" : utc_text(head.started),
                         tui::shorten(clean(head.who, 200), 12), nodes_text(head.nodes),
                         tui::shorten(clean(head.words, 200), 24)});
  std::string text = to_table(grid, options.headers, options.paper);
  std::string reasons;
  for (const RunHead& head : runs)
    if (head.state != RunState::finished && !head.why.empty())
      reasons += wrapped(clean(head.run + ": " + tui::told(options.reader, head.why), kWholeText), 2);
  return reasons.empty()
             ? text
             : text + "\n" + tui::told(options.reader, "Why they have not ended") + "\n" + reasons;
}

int print_list(const std::vector<RunHead>& runs, const Options& options, const Streams& streams) {
  if (options.output == OutputFormat::table) {
    streams.out << list_text(runs, options) << std::flush;
    return kDone;
  }
  Json list = Json::list();
  for (const RunHead& head : runs) list.items.push_back(head_json(head));
  streams.out << document(list, markup_of(options.output)) << std::flush;
  return kDone;
}

std::string head_text(const RunHead& head, const tui::WordsPtr& words) {
  std::string text =
      wrapped(clean(fmt::format("run {} of {}: {} on {}, by {} from {}", head.run, head.cluster.text,
                                head.words, nodes_text(head.nodes), head.who, head.from),
                    1000),
              0);
  if (!head.undoes.empty()) text += "undoes " + clean(head.undoes, 200) + "\n";
  std::string state = outcome_text(head) + (head.progress.empty() ? "" : "; " + head.progress);
  if (!head.why.empty() && head.why != head.progress) state += ": " + head.why;
  text += wrapped(clean(state, kWholeText), 0);
  if (!head.place.empty()) text += wrapped(clean("stands: " + head.place, kWholeText), 0);
  if (!head.file.empty()) text += "journal: " + clean(head.file, 4000) + "\n";
  if (!head.unarmed.empty())
    text += wrapped(clean(tui::told(words, "no timer resumes it: " + head.unarmed), kWholeText), 0);
  return text + changed_text(head, words);
}

// Steps that the file calls otherwise than what they do.
std::vector<std::string> renamed_in(const Followed& followed) {
  std::vector<std::string> all = followed.run()->started.plan.renamed;
  for (const plan::Entry& entry : followed.entries())
    if (const auto* replanned = std::get_if<plan::Replanned>(&entry.what))
      all.insert(all.end(), replanned->plan.renamed.begin(), replanned->plan.renamed.end());
  return all;
}

void print_run(const RunHead& head, const Followed& followed, const Options& options,
               const Streams& streams) {
  const bool can_be_resumed = head.state == RunState::parked || head.state == RunState::interrupted;
  if (options.output == OutputFormat::table) {
    streams.out << head_text(head, streams.reader);
    if (can_be_resumed)
      streams.out << told(streams, "to go on") << ": "
                  << clean(plan::resume_command(*followed.run()), kWholeText) << "\n";
    const auto& decision = followed.run()->started.plan.intent.decision;
    for (const std::string& line : decision ? plan::to_lines(*decision) : std::vector<std::string>{})
      streams.out << wrapped(clean(line, 1000), 2);
    streams.out << renamed_text(renamed_in(followed)) << "\n";
    bool several = head.nodes.size() > 1;
    plan::Teller teller;
    for (const plan::Entry& entry : followed.entries()) {
      std::string who = several && !entry.node.empty() ? entry.node.text + ": " : "";
      streams.out << utc_text(entry.at) << "  " << clean(who + teller.tell(entry), kWholeText) << "\n";
    }
    streams.out << std::flush;
    return;
  }
  Json json = head_json(head);
  json.add("resume", can_be_resumed ? Json::of(clean(plan::resume_command(*followed.run()))) : Json());
  Json& renamed = json.add("renamed", Json::list());
  for (const std::string& step : renamed_in(followed)) renamed.items.push_back(Json::of(clean(step)));
  Json& events = json.add("events", Json::list());
  plan::Teller teller;
  for (const plan::Entry& entry : followed.entries()) {
    Json one = Json::map();
    one.add("seq", Json::of(entry.seq));
    one.add("at", Json::of(utc_text(entry.at)));
    one.add("node", clean_or_null(entry.node.text));
    one.add("event", Json::of(std::string(plan::word(entry.what))));
    one.add("text", Json::of(clean(teller.tell(entry))));
    events.items.push_back(std::move(one));
  }
  streams.out << document(json, markup_of(options.output)) << std::flush;
}

int tell_run(OpenClusters& clusters, const RunHead& head, const Options& options, const Streams& streams) {
  if (head.state == RunState::marked) {  // all that is known of it is in the list
    if (options.output == OutputFormat::table) streams.out << head_text(head, streams.reader) << std::flush;
    return refuse(streams,
                  {"cannot show what " + clean(head.run, 200) + " did",
                   "its journal is with " + clean(head.who, 200) + " on " + clean(head.from, 200),
                   "share one folder of journals with --runs"},
                  kFinding);
  }
  auto known = read_run(clusters, options, head.run);
  if (auto* refusal = std::get_if<Refusal>(&known)) return refuse(streams, *refusal);
  const Followed& followed = std::get<Followed>(known);
  if (options.messages)
    streams.out << messages_document(followed.run()->started.plan, options.output) << std::flush;
  else
    print_run(head, followed, options, streams);
  return kDone;
}

}  // namespace

int run_journal(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                const Streams& streams) {
  if (Status ok = check_output(options); !ok) return refuse(streams, ok.error(), kUsage);
  if (options.messages && options.words.empty())
    return refuse(streams, {"cannot use these arguments", "--messages of which run?", "tessera journal RUN"},
                  kUsage);
  OpenClusters clusters(options, catalogue, joins, streams);
  auto failed = clusters.open();
  if (failed && !clusters.runs()) return *failed;
  if (!failed) {
    if (auto refused = clusters.start(options.cluster)) return *refused;
    if (!clusters.wait_until_loaded()) return 128 + clusters.ended_by().value_or(0);
  }
  auto listed = list_runs(clusters, options);
  if (auto* refusal = std::get_if<Refusal>(&listed)) return refuse(streams, *refusal);
  const auto& runs = std::get<std::vector<RunHead>>(listed);
  if (options.words.empty()) return print_list(runs, options, streams);
  auto head = find_run(runs, options.words.front());
  if (auto* refusal = std::get_if<Refusal>(&head)) return refuse(streams, *refusal);
  return tell_run(clusters, std::get<RunHead>(head), options, streams);
}

}  // namespace tessera::cli
