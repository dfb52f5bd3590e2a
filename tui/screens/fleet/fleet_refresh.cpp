// What the fleet screen asks: whether the file is another one, and how the clusters stand against it.
#include <algorithm>
#include <memory>
#include <utility>

#include "tui/change_kept.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/layout/layout.hpp"

namespace tessera::tui {
namespace {

// The nodes of a large site are not held against the file for every event.
constexpr std::size_t kManyNodes = 500;
constexpr Duration kManyEvery{5000};
// A window may open meanwhile.
constexpr Duration kWindowsEvery{60'000};
constexpr int kDays = 7;

// How long an answer stays before there is another one.
Duration least_age(const UiContext& ui) {
  std::size_t nodes = 0;
  for (const Cluster& cluster : ui.model.clusters) nodes += cluster.nodes.size();
  return nodes < kManyNodes ? Duration{0} : kManyEvery;
}

bool is_due(const FleetState& fleet, const UiState& state, const UiContext& ui) {
  if (!fleet.question || fleet.question->file != fleet.file) return true;
  // One at a time: on a busy cluster no answer would ever be of the last one.
  if (!fleet.answered()) return false;
  const Duration age = ui.wall - fleet.question->wall;
  if (fleet.file->fleet.has_windows() && age >= kWindowsEvery) return true;
  if (fleet.revision == ui.model.revision + 1 && fleet.question->runs == state.runs.heads) return false;
  return age >= least_age(ui);
}

std::shared_ptr<const FleetQuestion> question_of(const FleetState& fleet, const UiState& state,
                                                 const UiContext& ui) {
  auto asked = std::make_shared<FleetQuestion>();
  asked->file = fleet.file;
  asked->path = fleet.known_by();
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
  if (!state.fleet || !state.fleet->question) return std::nullopt;
  if (state.fleet->revision == ui.model.revision + 1) return std::nullopt;
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
  change_kept(state.fleet, [&](FleetState& fleet) {
    fleet.answer = seen.what, fleet.evidence = seen.evidence, fleet.all_told = seen.all;
  });
}

Effects look_at_fleet(const UiState& state) {
  Effects effects;
  if (state.top().kind != ScreenKind::fleet || !state.fleet || !state.fleet->file) return effects;
  effects.fleet = FleetOrder{FleetOrder::What::look, state.fleet->path, "", ""};
  return effects;
}

}  // namespace tessera::tui
