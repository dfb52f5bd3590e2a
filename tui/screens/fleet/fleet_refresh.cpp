// What the fleet screen asks: whether the file is another one, and how the clusters stand against it.
#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "tui/change_kept.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::tui {
namespace {

// The nodes of a large site are not held against the file for every event.
constexpr std::size_t kManyNodes = 500;
constexpr Duration kManyEvery{5000};
// A window may open meanwhile.
constexpr Duration kWindowsEvery{60'000};
constexpr int kDays = 7;

bool is_due(const FleetState& fleet, const UiState& state, const UiContext& ui) {
  if (!fleet.question || fleet.question->file != fleet.file) return true;
  // One at a time: on a busy cluster no answer would ever be of the last one.
  if (fleet.working()) return false;
  const Duration age = ui.wall - fleet.question->wall;
  if (fleet.file->fleet.has_windows() && age >= kWindowsEvery) return true;
  if (fleet.revision == ui.model.revision + 1 && fleet.question->runs == state.runs.heads) return false;
  std::size_t nodes = 0;
  for (const Cluster& cluster : ui.model.clusters) nodes += cluster.nodes.size();
  return nodes < kManyNodes || age >= kManyEvery;
}

// What a run left tells whether another has changed a node since. A few at a time: each is a file.
void read_newest_runs(UiState& state, Effects& effects) {
  constexpr std::size_t kAtOnce = 8, kMost = 100;
  if (!state.fleet->answer || !state.runs.available) return;
  std::set<std::string> asked;
  const auto ask = [&](const FleetRow& row) {
    const RunHead* run = state.fleet->answer->last.of(*row.survey, *row.node);
    if (!run || asked.size() >= kAtOnce || state.runs.opened.size() >= kMost) return;
    if (run->state == RunState::marked || run->state == RunState::unreadable) return;
    const RunView* view = view_of(state, run->run);
    if (journal_of(state, *run) || state.runs.refused.contains(run->run) || (view && view->trouble)) return;
    // One that is under way is never read to its end; it is read again once it has stopped.
    if (view && run->state == RunState::running) return;
    const FleetJournals& journals = state.fleet->journals;
    const auto refused = journals.refused.find(run->run);
    if (refused != journals.refused.end() && refused->second == run->last) return;
    if (journals.asked.contains(run->run)) return;
    if (asked.insert(run->run).second) effects.orders.push_back(ReadRun{run->run});
  };
  if (const FleetRow* here = fleet_row_here(state)) ask(*here);
  for (const FleetRow& row : state.fleet->answer->rows)
    if (row.standing() == fleet::Standing::drifts) ask(row);
  if (asked.empty()) return;
  change_kept(state.fleet,
              [&](FleetState& fleet) { fleet.journals.asked.insert(asked.begin(), asked.end()); });
}

// run: only the nodes whose newest run it is; empty: all.
void look_at_left(UiState& state, const std::string& run) {
  if (!state.fleet || !state.fleet->answer) return;
  const FleetState& fleet = *state.fleet;
  auto left =
      run.empty() || !fleet.left ? std::make_shared<FleetLeft>() : std::make_shared<FleetLeft>(*fleet.left);
  const fleet::NodeSurvey* before = nullptr;
  for (const FleetRow& row : fleet.answer->rows) {
    if (std::exchange(before, row.node) == row.node) continue;
    const RunHead* last = fleet.answer->last.of(*row.survey, *row.node);
    if (!last || (!run.empty() && last->run != run)) continue;
    (*left)[row.node] = fleet::left_on(journal_of(state, *last), *row.node->node);
  }
  change_kept(state.fleet, [&](FleetState& next) { next.left = std::move(left); });
}

std::shared_ptr<const FleetQuestion> question_of(const FleetState& fleet, const UiState& state,
                                                 const UiContext& ui) {
  auto asked = std::make_shared<FleetQuestion>();
  asked->file = fleet.file;
  asked->catalogue = &ui.catalogue;
  asked->clusters = ui.model.clusters;
  for (const Cluster& cluster : ui.model.clusters)
    asked->means[cluster.name] = capabilities_of(state, cluster);
  asked->rules = state.rules;
  asked->runs = state.runs.heads;
  asked->wall = ui.wall;
  return asked;
}

void list_windows(FleetState& fleet, const UiContext& ui) {
  if (!fleet.due.empty() && ui.wall - fleet.due_at < kWindowsEvery) return;
  // By the clock that a run of the pool goes by.
  const auto now = [&](const fleet::Pool& pool) {
    for (const Cluster& cluster : ui.model.clusters)
      if (pool.cluster.empty() || pool.cluster == cluster.name) return cluster_now(cluster, ui.wall);
    return ui.wall;
  };
  fleet.due = fleet::calendar(fleet.file->fleet, fleet.file->zone, now, kDays);
  fleet.due_at = ui.wall;
}

}  // namespace

const plan::Run* journal_of(const UiState& state, const RunHead& head) {
  const RunView* view = view_of(state, head.run);
  const bool whole = view && !view->entries.empty() && !view->trouble && view->entries.back().at >= head.last;
  return whole ? &view->run : nullptr;
}

std::shared_ptr<const FleetState> fleet_named(std::string path) {
  FleetState fleet;
  fleet.path = std::move(path);
  return std::make_shared<const FleetState>(std::move(fleet));
}

void refresh_fleet(UiState& state, Screen&, const UiContext& ui) {
  if (!state.fleet || !state.fleet->file || state.fleet->file->failure) return;
  change_kept(state.fleet, [&](FleetState& fleet) {
    if (fleet.calendar) list_windows(fleet, ui);
    fleet.refused = state.past ? "the past is shown, and a fleet file is about now" : "";
    if (!fleet.refused.empty()) {
      fleet.question = nullptr, fleet.answer = nullptr;
      return;
    }
    if (!is_due(fleet, state, ui)) return;
    fleet.question = question_of(fleet, state, ui);
    fleet.revision = ui.model.revision + 1;
  });
}

std::optional<TimePoint> fleet_next_change(const UiState& state, const UiContext& ui) {
  if (!state.fleet || !state.fleet->question || state.fleet->revision == ui.model.revision + 1)
    return std::nullopt;
  return state.fleet->question->wall + kManyEvery;
}

void take_file(UiState& state, const UiContext& ui, const FleetTold& told) {
  if (!state.fleet || state.fleet->path != told.path) return;
  change_kept(state.fleet, [&](FleetState& fleet) {
    fleet.paused = told.paused;
    if (!told.file) {
      fleet.changed = fleet.file && fleet.file->stamp != told.stamp;
      return;
    }
    // The same file again keeps what is known of it.
    const bool same =
        fleet.file && !fleet.file->failure && !told.file->failure && fleet.file->stamp == told.file->stamp;
    fleet.read_at = ui.wall;
    fleet.changed = false;
    if (same) return;
    fleet.file = told.file;
    fleet.question = nullptr, fleet.answer = nullptr, fleet.due.clear();
  });
  if (!told.file && state.fleet->changed && state.top().kind == ScreenKind::plan)
    say(state, ui, Severity::danger,
        "the fleet file has changed since it was read: this plan is of the file before");
  if (told.failure) say(state, ui, Severity::danger, to_line(*told.failure));
}

void take_fleet(UiState& state, const FleetSeen& seen) {
  if (!state.fleet || !seen.what || seen.what->question != state.fleet->question) return;
  change_kept(state.fleet, [&](FleetState& fleet) { fleet.answer = seen.what; });
  look_at_left(state, "");
}

void take_journal(UiState& state, const std::string& run) { look_at_left(state, run); }

bool is_told_to_fleet(UiState& state, const std::string& run, bool refused) {
  if (!state.fleet || !state.fleet->journals.asked.contains(run)) return false;
  const RunHead* head = head_of(state, run);
  change_kept(state.fleet, [&](FleetState& fleet) {
    fleet.journals.asked.erase(run);
    fleet.journals.refused.erase(run);
    if (refused) fleet.journals.refused[run] = head ? head->last : TimePoint();
  });
  return true;
}

Effects look_at_fleet(UiState& state) {
  Effects effects;
  if (state.top().kind != ScreenKind::fleet || !state.fleet || !state.fleet->file) return effects;
  effects.fleet = FleetOrder{FleetOrder::What::look, state.fleet->path, "", ""};
  read_newest_runs(state, effects);
  return effects;
}

}  // namespace tessera::tui
