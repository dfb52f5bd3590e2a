// What was held or stood free for nothing over days, and what would do instead.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/query/value.hpp"
#include "engine/text.hpp"
#include "engine/usage/exceptions.hpp"
#include "engine/usage/untold.hpp"
#include "tui/language/wrap.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/in_view.hpp"
#include "tui/screens/overview/overview_body.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/sentence.hpp"
#include "tui/screens/usage.hpp"
#include "tui/screens/usage_common.hpp"

namespace tessera::tui {

struct WasteColumns {
  int hours = 10, owner = 21, work = 0, profile = 0, node = 0, cluster = 0, advice = 0;
};

// What the list says of all rows: made once for what was read, and not for each picture.
struct WasteTexts {
  std::shared_ptr<const usage::Reckoning> of;
  int width = 0;
  WordsPtr words;

  WasteColumns at;
  Document totals;
  bool several = false;  // clusters
  std::shared_ptr<const std::vector<std::string>> ids;
};

namespace {

using usage::Waste;

// More lines than these would push the list itself off a small screen.
constexpr std::size_t kMostNotesAbove = 2;

const std::vector<Waste>* all_of(const UiState& state) {
  return state.usage.read ? &state.usage.read->waste : nullptr;
}

std::string id_of_waste(const Waste& one) {
  std::string id;
  id.reserve(4 + one.cluster.text.size() + one.kind.size() + one.workload.size() + one.node.size() +
             one.profile.size());
  id += one.cluster.text;
  for (const std::string* part : {&one.kind, &one.workload, &one.node, &one.profile})
    id += '\x1f', id += *part;
  return id;
}

// As docs/time.md defines them.
std::string meaning(const std::string& kind, const usage::Limits& limits) {
  if (kind == "idle")
    return fmt::format("held, and used less than {:g} % for at least {}", limits.idle_below,
                       query::duration_text(limits.idle_after / std::chrono::seconds(1)));
  if (kind == "parked") return "held without use, while its memory is kept";
  if (kind == "too-big") return "what was used fits a smaller profile";
  if (kind == "stranded") return "free places in which no further instance fits";
  if (kind == "unasked") return "free for days, and no waiting work asks for it";
  if (kind == "rogue") return "free for the scheduler, and in use: a process has no allocation";
  return "";
}

bool of_several_clusters(const std::vector<Waste>& all) {
  const ClusterName* first = nullptr;
  for (const Waste& one : all) {
    if (one.cluster.empty()) continue;
    if (first && *first != one.cluster) return true;
    first = &one.cluster;
  }
  return false;
}

constexpr int kBetween = 2;  // columns

// As wide as what stands in them. Where that leaves WHAT too little, names give way: the longest text is that
// of a remark, of which the line under the list has all.
WasteColumns waste_columns(const std::vector<Waste>& all, const UiState& state, int width) {
  const bool wide = width >= 110;
  const auto widest = [&](int least, int most, const auto& text) {
    int cells = least;
    for (auto one = all.begin(); one != all.end() && cells < most; ++one)
      cells = std::max(cells, display_width(text(*one)));
    return std::min(cells, most);
  };
  const auto widest_of = [&](int least, int most, std::string Waste::*text) {
    int cells = least;
    for (const Waste& one : all)  // no text takes more cells than bytes
      if ((one.*text).size() > static_cast<std::size_t>(cells))
        cells = std::max(cells, display_width(one.*text));
    return std::min(cells, most);
  };
  int owner = widest_of(5, 20, &Waste::user);
  int work = widest_of(8, 40, &Waste::workload);
  const int profile = widest_of(7, 14, &Waste::profile);
  const int node = wide ? widest_of(4, 16, &Waste::node) : 0;
  const bool several = wide && of_several_clusters(all);
  const int cluster =
      several ? widest(7, 14, [](const Waste& one) -> const std::string& { return one.cluster.text; }) : 0;
  const int advice = widest(4, wide ? 24 : 16, [&](const Waste& one) { return told(state, one.advice); });
  WasteColumns at;
  const auto end = [&] {
    at.work = at.owner + owner + kBetween;
    at.profile = at.work + work + kBetween;
    int x = at.profile + profile + kBetween;
    if (node > 0) at.node = x, x += node + kBetween;
    if (cluster > 0) at.cluster = x, x += cluster + kBetween;
    at.advice = x;
    return x + advice + 1;
  };
  const auto give_way = [&](int& cells, int least) {
    cells -= std::clamp(end() - width, 0, std::max(0, cells - least));
  };
  give_way(work, 14);
  give_way(owner, 10);
  give_way(work, 8);
  end();
  return at;
}

DocLine heading(const WasteColumns& at) {
  DocLine line;
  line.spans.push_back({"KIND", Role::heading, 1});
  put_right(line, "SLICE-H", at.hours, 9, Role::heading);
  line.spans.push_back({"OWNER", Role::heading, at.owner});
  line.spans.push_back({"JOB, POD", Role::heading, at.work});
  line.spans.push_back({"PROFILE", Role::heading, at.profile});
  if (at.node > 0) line.spans.push_back({"NODE", Role::heading, at.node});
  if (at.cluster > 0) line.spans.push_back({"CLUSTER", Role::heading, at.cluster});
  line.spans.push_back({"WHAT", Role::heading, at.advice});
  return line;
}

DocLine line_of(const Waste& one, const WasteColumns& at, bool several, const UiState& state, int width) {
  DocLine line;
  line.id = id_of_waste(one);
  const auto put = [&](const std::string& text, int x, int end, Style style) {
    line.spans.push_back({shorten(text.empty() ? "-" : text, end - x - 1, state.ascii),
                          text.empty() ? Style(Role::dim) : style, x});
  };
  put(one.kind, 1, at.hours, Style(Role::text).with_bold());
  put_right(line, one.slice_hours ? fmt::format("{:.1f}", *one.slice_hours) : "n/a", at.hours, 9,
            one.slice_hours ? Role::warning : Role::dim);
  put(one.user, at.owner, at.work, Role::held);
  put(one.workload, at.work, at.profile, Role::text);
  const int behind_node = at.cluster > 0 ? at.cluster : at.advice;
  put(one.profile, at.profile, at.node > 0 ? at.node : behind_node, Role::text);
  if (at.node > 0) put(one.node, at.node, behind_node, Role::dim);
  if (at.cluster > 0) put(one.cluster.text, at.cluster, at.advice, Role::dim);
  // Where there is no room for its column, a row without an owner is told apart by its cluster alone.
  const bool named = several && at.cluster == 0 && one.user.empty() && !one.cluster.empty();
  put((named ? one.cluster.text + ": " : "") + told(state, one.advice), at.advice, width, Role::text);
  return line;
}

// All kinds are told: what no longer fits goes on in the next line.
Document total_lines(const std::vector<Waste>& all, const UiState& state, int width) {
  std::map<std::string_view, double> hours;
  double sum = 0, uncounted = 0;
  for (const Waste& one : all) {
    if (one.slice_hours) hours[one.kind] += *one.slice_hours, sum += *one.slice_hours;
    if (!one.slice_hours) uncounted += one.hours.value_or(0);
  }
  constexpr int kBegin = 1, kGap = 3;
  Document lines;
  int x = kBegin;
  const auto add = [&](const std::string& text, Style style) {
    const int size = display_width(text);
    if (lines.empty() || (x > kBegin && x + size >= width)) lines.push_back({}), x = kBegin;
    lines.back().spans.push_back({text, style, x});
    x += size + kGap;
  };
  add(told(state, fmt::format("{:.1f} slice-hours", sum)), Style(Role::warning).with_bold());
  for (const auto& [kind, part] : hours) add(fmt::format("{} {:.1f}", kind, part), Role::dim);
  if (uncounted > 0) add(told(state, fmt::format("{:.1f} h not counted in slices", uncounted)), Role::dim);
  return lines;
}

// What the site's filter does not count: said, and not hidden.
void add_left_out(Document& lines, const UiState& state, int width) {
  const usage::Reckoning& read = *state.usage.read;
  if (!read.asked.except) return;
  double sum = 0, uncounted = 0;
  for (const Waste& one : read.left_out) {
    sum += one.slice_hours.value_or(0);
    if (!one.slice_hours) uncounted += one.hours.value_or(0);
  }
  std::string text = told(
      state, fmt::format("rows left out by waste-except: {}, {:.1f} slice-hours", read.left_out.size(), sum));
  if (uncounted > 0) text += "; " + told(state, fmt::format("{:.1f} h not counted in slices", uncounted));
  lines.push_back(
      {{{shorten(text + "  " + read.asked.except->text, width - 2, state.ascii), Role::dim, 1}}, {}});
}

// Kinds of which nothing can be told yet: n/a, and not none.
void add_not_known(Document& lines, const UiState& state, int width) {
  for (const usage::NotKnown& one : state.usage.read->not_known) {
    const std::string text = told(state, usage::not_known_line(one, told(state, one.missing)));
    if (text.empty()) continue;
    for (std::string& part : wrap(text, width - 3)) lines.push_back({{{std::move(part), Role::dim, 1}}, {}});
  }
  for (const std::string& text : source_notes(state))
    for (std::string& part : wrap(text, width - 3)) lines.push_back({{{std::move(part), Role::dim, 1}}, {}});
}

Document foot_for(const Waste& one, const UiState& state, int width) {
  Document foot;
  foot.push_back({{{one.kind, Style(Role::text).with_bold(), 1},
                   {"  " + told(state, meaning(one.kind, state.usage.read->asked.limits)), Role::dim}},
                  {}});
  add_wrapped_fact(foot, told(state, "what"), told(state, one.advice), width);
  if (one.hours) {
    std::string time = one.kind == "rogue" ? fmt::format("used for {:.1f} h", *one.hours)
                                           : fmt::format("held for {:.1f} h", *one.hours);
    if (!one.slice_hours) time += "; this product is not counted in slices";
    add_wrapped_fact(foot, told(state, "time"), told(state, time), width);
  }
  std::string where = one.cluster.text;
  if (!one.node.empty()) where += (where.empty() ? "" : ", ") + one.node;
  if (!where.empty()) add_wrapped_fact(foot, told(state, "where"), where, width);
  if (const std::string gaps = gaps_text(state); !gaps.empty())
    add_wrapped_fact(foot, told(state, "gaps"), gaps, width, Role::warning);
  if (!one.user.empty())
    add_wrapped_fact(foot, told(state, "owner"),
                     one.user + "  " +
                         told(state, fmt::format("{} copies a text to this owner",
                                                 first_key(state, Action::usage_letter))),
                     width);
  return foot;
}

Document nothing_wasted(const UiContext& ui, const UiState& state, int width) {
  FactPage page(state, width);
  for (DocLine& line : span_lines(state)) page.add(std::move(line));
  const usage::Reckoning& read = *state.usage.read;
  if (read.waste_refused) {
    add_sentence(page, read.waste_refused->what + ": " + read.waste_refused->reason, Role::danger);
    add_sentence(page, read.waste_refused->hint);
  } else if (usage::is_unmeasured(read)) {
    page.fact("", "What was wasted is not known.", Role::unknown);
  } else if (const auto* least = usage::least_told(read.use_told)) {
    add_sentence(page,
                 fmt::format("Nothing idle or too large was found, but use is known of {:.0f} % of the hours "
                             "held in {} only.",
                             std::floor(least->second.percent), clean(least->first.text, 64)),
                 Role::unknown);
  } else {
    page.fact("", "Nothing was wasted in that time, as far as there are figures.", Role::good);
  }
  if (const std::string gaps = gaps_text(state); !gaps.empty()) page.fact("", gaps, Role::warning);
  Document not_known;
  if (!read.waste_refused) add_left_out(not_known, state, width);
  add_not_known(not_known, state, width);
  for (DocLine& line : not_known) page.add(std::move(line));
  page.fact(first_key(state, Action::usage_days), "look at more days");
  add_other_source(page, state, ui);
  return page.take();
}

}  // namespace

const Waste* waste_here(const UiState& state) {
  const std::vector<Waste>* all = all_of(state);
  if (!all || all->empty()) return nullptr;
  const Waste* here = item_here(std::span<const Waste>(*all), state.top(), id_of_waste);
  return here ? here : &all->front();
}

std::string letter_begin(const UiState& state, const std::string& owner, std::size_t rows) {
  const usage::Reckoning& read = *state.usage.read;
  std::vector<Waste> own;
  for (auto one = read.waste.begin(); one != read.waste.end() && own.size() < rows; ++one)
    if (one->user == owner && one->kind != "rogue") own.push_back(*one);  // of which no owner is told
  std::string text;
  for (const usage::Letter& letter : usage::letters(own, read.from, read.to)) text += letter.text;
  return text;
}

std::string letter_to(const UiState& state, const std::string& owner) {
  return letter_begin(state, owner, state.usage.read->waste.size());
}

namespace {

std::shared_ptr<const std::vector<std::string>> ids_of(const UiState& state) {
  const std::shared_ptr<const WasteTexts>& kept = state.usage.waste;
  if (kept && kept->of == state.usage.read) return kept->ids;
  std::vector<std::string> ids;
  ids.reserve(state.usage.read->waste.size());
  for (const Waste& one : state.usage.read->waste) ids.push_back(id_of_waste(one));
  return std::make_shared<const std::vector<std::string>>(std::move(ids));
}

// As they are kept, else made; something was read.
std::shared_ptr<const WasteTexts> waste_texts(const UiState& state, int width) {
  const std::shared_ptr<const WasteTexts>& kept = state.usage.waste;
  if (kept && kept->of == state.usage.read && kept->width == width && kept->words == state.words) return kept;
  const std::vector<Waste>& all = state.usage.read->waste;
  return std::make_shared<const WasteTexts>(
      WasteTexts{state.usage.read, width, state.words, waste_columns(all, state, width),
                 total_lines(all, state, width), of_several_clusters(all), ids_of(state)});
}

}  // namespace

void refresh_waste(UiState& state, Screen& screen, const UiContext& ui) {
  refresh_overview(state, screen, ui);
  const bool any = state.usage.read && !state.usage.read->waste.empty();
  state.usage.waste = any ? waste_texts(state, list_width(state, ui)) : nullptr;
}

Panes waste_panes(const UiContext& ui, const UiState& state, int width) {
  Panes panes;
  const std::vector<Waste>* all = all_of(state);
  if (!all || all->empty()) {
    const bool looked = all && state.usage.read->from != TimePoint{};
    panes.main = looked ? nothing_wasted(ui, state, width) : no_sums(ui, state, width);
    return panes;
  }
  const std::shared_ptr<const WasteTexts> texts = waste_texts(state, width);
  panes.main = span_lines(state);
  panes.main.insert(panes.main.end(), texts->totals.begin(), texts->totals.end());
  Document notes;
  add_left_out(notes, state, width);
  add_not_known(notes, state, width);
  const bool below = notes.size() > kMostNotesAbove;
  if (below)
    panes.main.push_back({{{shorten(told(state, "what is left out or not known stands below the list"),
                                    width - 2, state.ascii),
                            Role::dim, 1}},
                          {}});
  else
    std::move(notes.begin(), notes.end(), std::back_inserter(panes.main));
  panes.main.push_back(heading(texts->at));
  const InView seen = in_view(state, panes.main.size() + all->size() + (below ? 1 + notes.size() : 0));
  const std::size_t first = panes.main.size();
  panes.list = {first, texts->ids};
  panes.main.resize(first + all->size());
  for (std::size_t i = std::max(first, seen.first); i < std::min(seen.end, panes.main.size()); ++i)
    panes.main[i] = line_of((*all)[i - first], texts->at, texts->several, state, width);
  if (below) {
    panes.main.push_back({});
    std::move(notes.begin(), notes.end(), std::back_inserter(panes.main));
  }
  if (const Waste* one = waste_here(state)) panes.foot = foot_for(*one, state, width);
  panes.foot_first = true;
  return panes;
}

Effects copy_letter(UiState& state, const UiContext& ui, Action) {
  Effects effects;
  const Waste* here = waste_here(state);
  if (!here) return effects;
  effects.copy = letter_to(state, here->user);
  say(state, ui, Severity::info, "the text to " + here->user + " is copied");
  return effects;
}

std::string why_no_letter(Action, const UiState& state, const UiContext&) {
  if (state.top().kind != ScreenKind::waste) return "texts to owners are on the screen of waste: :waste";
  const Waste* here = waste_here(state);
  if (!here) return "nothing was read yet";
  return here->user.empty() ? "this has no owner" : "";
}

Effects open_on_waste(UiState& state, const UiContext& ui) {
  const Waste* here = waste_here(state);
  if (!here) return {};
  const Cluster* cluster = ui.model.find(here->cluster);
  if (cluster && cluster->workloads.find(WorkloadId(here->workload)))
    open_workload(state, here->cluster, here->workload);
  else
    open_node(state, here->cluster, here->node);
  return {};
}

std::string why_no_open_on_waste(const UiState& state, const UiContext& ui) {
  const Waste* here = waste_here(state);
  if (!here) return "nothing to open here";
  const Cluster* cluster = ui.model.find(here->cluster);
  if (!cluster) return "this is not about one node";
  if (!here->workload.empty() && cluster->workloads.find(WorkloadId(here->workload))) return "";
  if (here->node.empty()) return "this is not about one node";
  return cluster->nodes.find(NodeName(here->node)) ? "" : "it has ended, and its node is no longer listed";
}

std::string copy_on_waste(const UiState& state, const UiContext&) {
  const Waste* here = waste_here(state);
  if (!here) return "";
  return !here->workload.empty() ? here->workload : !here->node.empty() ? here->node : here->profile;
}

}  // namespace tessera::tui
