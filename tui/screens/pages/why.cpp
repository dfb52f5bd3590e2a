#include "tui/screens/pages/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/hostlist.hpp"
#include "engine/insight/causes.hpp"
#include "engine/query/tables.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "engine/why/called.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/pages/boards.hpp"
#include "tui/screens/plan/plan.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kFewNodesToSearch = 100;  // for each picture; for what would help, for each row
// For each row that the cursor comes to, and for each change of the cluster: of a larger one the scheduler's
// reason alone is told until the planner's thread has looked at its nodes.
constexpr std::size_t kMostNodesHere = 1000;
constexpr std::size_t kGroups = 8;        // of nodes that are listed where they stand out
constexpr std::size_t kMostGroups = 200;  // ... with those at the end of the page
constexpr int kIndent = 6;
constexpr std::string_view kStop = "\x1ehelp ";

Style style_of(why::Certainty certainty) {
  return certainty == why::Certainty::unknown ? Style(Role::unknown) : Style(Role::text);
}

std::string in_brackets(const FactPage& page, const std::string& text) {
  return page.told(" (") + text + page.told(")");
}

std::string aside_of(const FactPage& page, const why::Statement& one) {
  std::string text = page.told(why::word(one.certainty));
  if (const std::string_view by = why::said_by(one); !by.empty()) text += page.told(", ") + std::string(by);
  return in_brackets(page, text);
}

std::string names_of(const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& node : nodes) names.push_back(node.text);
  return clean(fold_hosts(names), 60);
}

// What waits there, with its cluster; null: nothing does.
struct Waits {
  const Cluster* cluster = nullptr;
  const Workload* workload = nullptr;
};
Waits waiting_on(const UiContext& ui, const Screen& page) {
  const Cluster* cluster = ui.model.find(page.cluster);
  const Workload* workload = cluster ? cluster->workloads.find(WorkloadId(page.subject)) : nullptr;
  if (!workload || workload->state != WorkloadState::pending) return {};
  return {cluster, workload};
}

// What was asked for that work alone; nullptr: nothing, or a recording is shown, of which that says nothing.
std::shared_ptr<const Details> details_of(const UiState& state, const Waits& waits) {
  const std::shared_ptr<const WorkDetails> told = state.past ? nullptr : state.looked_into;
  const bool about_it =
      told && told->cluster == waits.cluster->name && told->details.of == waits.workload->id;
  return about_it ? std::shared_ptr<const Details>(told, &told->details) : nullptr;
}

bool is_large(const Waits& waits) { return waits.workload && waits.cluster->nodes.size() > kMostNodesHere; }

std::shared_ptr<const why::Answer> work_out(const UiContext& ui, const UiState& state, const Waits& waits,
                                            const Details* details, bool help = true) {
  if (!waits.workload) return nullptr;
  const auto able = state.abilities.find(waits.cluster->name);
  const why::Site site{&ui.catalogue, able == state.abilities.end() ? nullptr : &able->second,
                       state.rules,   cluster_now(*waits.cluster, ui.wall),
                       details,       help};
  return std::make_shared<const why::Answer>(why::explain(*waits.cluster, *waits.workload, site));
}

// Beside a list nothing was asked for the work alone, and the nodes of a huge cluster are not looked at.
std::shared_ptr<const why::Answer> work_out_beside(const UiContext& ui, const UiState& state,
                                                   const Waits& waits) {
  if (!is_large(waits))
    return work_out(ui, state, waits, nullptr,
                    !waits.workload || waits.cluster->nodes.size() <= kFewNodesToSearch);
  return std::make_shared<const why::Answer>(why::in_short(*waits.cluster, *waits.workload));
}

bool is_of(const AskedWhy& asked, const Screen& page) {
  return asked.question && asked.question->then->cluster.name == page.cluster &&
         asked.question->id.text == page.subject;
}

// What the planner's thread has found of it, which is asked for what was not told yet; nullptr: nothing.
// details: asked for the work alone; what is found without them stays until it is found with them.
const WhyFound* found_by_planner(UiState& state, const UiContext& ui, const Screen& page, const Waits& waits,
                                 std::shared_ptr<const Details> details) {
  auto& asked = state.large.why;
  const bool same = asked && is_of(*asked, page);
  // Details that were asked for again are not worth another search at once.
  const bool detailed = same && !asked->working() && asked->question->details != details &&
                        (!asked->question->details || ui.wall >= due_again(*asked));
  if (!same || detailed || is_due_again(*asked, state, ui))
    ask_large(asked, ui,
              WhyQuestion{then_of(state, ui, *waits.cluster), state.abilities.contains(waits.cluster->name),
                          waits.workload->id, std::move(details)},
              same && !stands_in_past(state));
  const WhyFound* found = asked->answer.get();
  return found && found->answer ? found : nullptr;
}

void add_statement(FactPage& page, const why::Statement& one, Style style, int column) {
  for (std::string& line : page.wrapped(page.told(one.text) + aside_of(page, one), column))
    page.add({{{std::move(line), style, column}}, {}});
}

void add_help(FactPage& page, const std::vector<why::Remedy>& help) {
  page.heading("WHAT WOULD HELP");
  for (std::size_t i = 0; i < help.size(); ++i) {
    const why::Remedy& one = help[i];
    std::string stop = std::string(kStop) + std::to_string(i);
    std::string number = fmt::format("{}.", i + 1);
    for (std::string& line : page.wrapped(
             page.told(one.text) + in_brackets(page, page.told(why::word(one.certainty))), kIndent)) {
      page.add({{{std::exchange(number, {}), Role::dim, 3}, {std::move(line), Style(Role::text), kIndent}},
                std::exchange(stop, {})});
    }
    if (one.command.empty()) continue;
    for (std::string& line : page.wrapped(one.command, kIndent))
      page.add({{{std::move(line), Role::accent, kIndent}}, {}});
  }
  if (help.empty()) page.add({{{page.told("nothing that tessera knows of"), Role::dim, 3}}, {}});
}

// Of those that are listed.
std::vector<std::string> fold_groups(const why::Answer& answer) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < std::min(answer.nodes.size(), kMostGroups); ++i)
    all.push_back(names_of(answer.nodes[i].nodes));
  return all;
}

bool is_about(const WhyView& view, const UiContext& ui, const Screen& page) {
  return view.revision == ui.model.revision + 1 && view.cluster == page.cluster &&
         view.subject == page.subject;
}

WhyView view_of(const UiContext& ui, const Screen& page, std::shared_ptr<const why::Answer> answer) {
  std::vector<std::string> groups = answer ? fold_groups(*answer) : std::vector<std::string>();
  return {ui.model.revision + 1, page.cluster, page.subject, std::move(answer), std::move(groups)};
}

// Keeps what was found, or else what `make` tells in its place.
template <class Make>
void keep_found(WhyView& view, const UiContext& ui, const Screen& page, const WhyFound* found, Make make) {
  const bool shown = found && view.answer == found->answer;
  if (is_about(view, ui, page) && (!found || shown)) return;
  view = view_of(ui, page, found ? found->answer : make());
  if (found) view.at = found->question->then->now;
}

void add_group(FactPage& page, const why::Candidates& group, std::string names) {
  if (names.size() >= kLabelWidth) page.add({{{std::exchange(names, {}), Role::dim, 3}}, {}});
  page.data(names, page.told(group.what.text) + aside_of(page, group.what),
            group.fits ? Style(Role::good) : style_of(group.what.certainty));
}

// The nodes of the groups from that one on.
std::size_t nodes_from(const why::Answer& answer, std::size_t group) {
  std::size_t nodes = 0;
  for (; group < answer.nodes.size(); ++group) nodes += answer.nodes[group].nodes.size();
  return nodes;
}

std::vector<std::string> folded_on(const Screen& screen, const why::Answer& answer) {
  return screen.why.answer.get() == &answer ? screen.why.groups : fold_groups(answer);
}

void add_nodes(FactPage& page, const why::Answer& answer, const std::vector<std::string>& folded) {
  if (!answer.nodes.empty()) page.heading("NODES");
  for (std::size_t i = 0; i < std::min(folded.size(), kGroups); ++i)
    add_group(page, answer.nodes[i], folded[i]);
  if (const std::size_t left = nodes_from(answer, kGroups); left > 0)
    page.data("", page.told(fmt::format("and {} more: at the end of its page", left)), Role::dim);
  std::string untold;
  for (const std::string& one : answer.untold)
    untold += (untold.empty() ? "" : page.told("; ")) + page.told(one);
  page.data(page.told("not known"), untold, Role::dim);
}

void add_asked(FactPage& page, const why::Answer& answer, const Cluster& cluster, TimePoint wall) {
  if (answer.asked.empty()) return;
  page.heading("ASKED FOR IT ALONE");
  std::string when = answer.asked_at ? page.told(ago_text(cluster, *answer.asked_at, wall)) : "";
  for (const Inquiry& one : answer.asked) {
    std::string text = one.command.empty() ? std::string(word(one.source)) : one.command;
    if (one.failure) text += " (" + page.told(to_line(*one.failure)) + ")";
    if (!one.note.empty()) text += " (" + page.told(one.note) + ")";
    page.data(std::exchange(when, {}), text, one.failure ? Style(Role::warning) : Style(Role::dim));
  }
}

// From the page of one thing the list is an aside, and Esc leads back to that page; where the page was opened
// from that list, it is there already.
void show_above_page(UiState& state) {
  const auto list = std::find_if(state.stack.begin(), state.stack.end(), [](const Screen& one) {
    return one.kind == ScreenKind::workloads && one.opened_with == kAllWaiting;
  });
  if (list != state.stack.end()) {
    state.stack.erase(list + 1, state.stack.end());
    return;
  }
  Screen above;
  above.kind = ScreenKind::workloads;
  set_filter(above, std::string(kAllWaiting));
  push(state, std::move(above));
}

// Of several clusters that have one of that name, the one whose rows the screen shows.
template <class Found>
void keep_those_here(std::vector<Found>& found, const ClusterName& here) {
  const auto is_here = [&](const Found& one) { return one.cluster->name == here; };
  if (std::any_of(found.begin(), found.end(), is_here)) std::erase_if(found, std::not_fn(is_here));
}

void show_finding_of(UiState& state, const why::Refused& refused) {
  insight::Finding finding;
  finding.cluster = refused.cluster->name;
  finding.subject = refused.remark->subject;
  finding.text = refused.remark->text;
  go_to(state, ScreenKind::doctor);
  state.top().cursor = insight::cause_id(finding);
}

}  // namespace

void take_details(UiState& state, const DetailsTold& told) {
  state.looked_into = std::make_shared<const WorkDetails>(told.what);
  for (Screen& screen : state.stack)
    if (screen.why.subject == told.what.details.of.text) screen.why = {};  // worked out again
}

std::shared_ptr<const why::Answer> why_of(const UiContext& ui, const UiState& state, const Screen& screen) {
  if (is_about(screen.why, ui, screen)) return screen.why.answer;
  // Beside a list it would be worked out for every frame.
  const Waits waits = waiting_on(ui, screen);
  if (!waits.workload || waits.cluster->nodes.size() > kFewNodesToSearch) return nullptr;
  return work_out(ui, state, waits, details_of(state, waits).get());
}

void refresh_why(UiState& state, Screen& screen, const UiContext& ui) {
  const Waits waits = waiting_on(ui, screen);
  std::shared_ptr<const Details> details = waits.workload ? details_of(state, waits) : nullptr;
  if (!is_large(waits)) {
    if (!is_about(screen.why, ui, screen))
      screen.why = view_of(ui, screen, work_out(ui, state, waits, details.get()));
    return;
  }
  // One question at a time: the page below this one has another.
  if (&screen != &state.top()) return;
  const WhyFound* found = found_by_planner(state, ui, screen, waits, std::move(details));
  keep_found(screen.why, ui, screen, found, [&] {
    return std::make_shared<const why::Answer>(why::in_short(*waits.cluster, *waits.workload));
  });
}

void note_why_beside(UiState& state, const UiContext& ui, const Screen& page) {
  const Waits waits = waiting_on(ui, page);
  const bool asks = waits.workload && waits.cluster->nodes.size() > kFewNodesToSearch;
  const WhyFound* found = asks ? found_by_planner(state, ui, page, waits, nullptr) : nullptr;
  keep_found(state.why_beside, ui, page, found, [&] { return work_out_beside(ui, state, waits); });
}

void add_why(FactPage& page, const UiState& state, const why::Answer& answer) {
  page.heading("WHY IT WAITS");
  add_statement(page, answer.sentence, style_of(answer.sentence.certainty).with_bold(), 3);
  for (const why::Statement& one : answer.more) add_statement(page, one, style_of(one.certainty), kIndent);
  if (answer.depth == why::Depth::help) return add_help(page, answer.help);
  page.blank();
  if (answer.depth == why::Depth::nodes)
    return page.data(first_key(state, Action::open),
                     page.told("opens its page, which looks for what would help, too"));
  // Beside a list the page's own question is not there.
  if (state.large.why)
    return page.data("", page.told("its nodes and what would help are being looked at: with so many nodes "
                                   "that takes some time"));
  page.data(
      first_key(state, Action::open),
      page.told("opens its page, which looks at each node and for what would help: beside a list of so many "
                "nodes that takes some time"));
}

void add_candidates(FactPage& page, const why::Answer& answer, const Screen& screen, const Cluster& cluster,
                    TimePoint wall) {
  if (answer.depth == why::Depth::reason) return;
  add_nodes(page, answer, folded_on(screen, answer));
  add_asked(page, answer, cluster, wall);
  if (screen.why.answer.get() != &answer || !screen.why.at) return;
  page.blank();
  page.data(page.told("as of"), time_text(*screen.why.at), Role::dim);
}

void add_more_candidates(FactPage& page, const why::Answer& answer, const Screen& screen) {
  if (answer.depth == why::Depth::reason || answer.nodes.size() <= kGroups) return;
  page.heading("MORE NODES");
  const std::vector<std::string> folded = folded_on(screen, answer);
  for (std::size_t i = kGroups; i < folded.size(); ++i) add_group(page, answer.nodes[i], folded[i]);
  if (const std::size_t left = nodes_from(answer, folded.size()); left > 0)
    page.data("",
              page.told(fmt::format("and {} more: tessera why {} -o json lists all of them", left,
                                    shell_word(screen.subject))),
              Role::dim);
}

const why::Remedy* remedy_under(const why::Answer& answer, const std::string& stop) {
  if (!stop.starts_with(kStop)) return nullptr;
  const std::size_t at = static_cast<std::size_t>(std::atoi(stop.c_str() + kStop.size()));
  return at < answer.help.size() ? &answer.help[at] : nullptr;
}

std::optional<Error> open_work_named(UiState& state, const UiContext& ui, const std::string& name,
                                     bool waits) {
  std::vector<why::Called> found = why::works_called(ui.model, name);
  std::vector<why::Refused> refused;
  if (waits && found.empty()) refused = why::refused_called(ui.model, name);
  keep_those_here(found, state.top().cluster), keep_those_here(refused, state.top().cluster);
  const std::size_t number = found.size() + refused.size();
  if (number == 0) return Error{fmt::format("no {} is called {}", "job or pod", name), "", ""};
  if (number > 1)
    return Error{fmt::format("{} jobs or pods are called {}", number, name), "",
                 "cluster NAME first, or its whole id"};
  if (!refused.empty()) {
    show_finding_of(state, refused.front());
    return std::nullopt;
  }
  const Workload& work = *found.front().workload;
  open_workload(state, found.front().cluster->name, work.id.text);
  if (waits && work.state != WorkloadState::pending)
    say(state, ui, Severity::info, fmt::format("{} does not wait: it is {}", work.id.text, word(work.state)));
  return std::nullopt;
}

Effects show_waiting(UiState& state, const UiContext& ui, Action) {
  const Screen& screen = state.top();
  if (screen.kind == ScreenKind::workloads) {
    const int row = cursor_row(ui.model, screen);
    if (row >= 0) {
      const RowRef ref = screen.derived.rows[static_cast<std::size_t>(row)];
      const Cluster* cluster =
          ref.cluster < ui.model.clusters.size() ? &ui.model.clusters[ref.cluster] : nullptr;
      const Workload* work =
          cluster && ref.item < cluster->workloads.size() ? &cluster->workloads.all()[ref.item] : nullptr;
      if (work && work->state == WorkloadState::pending) {
        open_workload(state, cluster->name, work->id.text);
        return {};
      }
    }
  }
  if (row_of(state).crumb == Crumb::subject)
    show_above_page(state);
  else
    go_to(state, ScreenKind::workloads, std::string(kAllWaiting));
  return {};
}

}  // namespace tessera::tui
