// What the fleet screen asks: whether the file is another one, and how the clusters stand against it.
#include <algorithm>
#include <memory>
#include <utility>

#include "tui/change_kept.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/fleet/fleet_findings.hpp"
#include "tui/screens/layout/layout.hpp"

namespace tessera::tui {
namespace {

// The nodes of a large site are not held against the file for every event.
constexpr std::size_t kManyNodes = 500;
constexpr Duration kManyEvery{5000};
// A window may open meanwhile.
constexpr Duration kWindowsEvery{60'000};
constexpr int kDays = 7;
// A busy cluster draws, and ticks, many times a second.
constexpr Duration kLookEvery{5000};
// Findings of the file are no table that is watched: on a large site an answer takes a core for seconds.
constexpr Duration kFindingsEvery{10'000};
constexpr Duration kManyFindingsEvery{300'000};

bool has_many_nodes(const UiContext& ui) {
  std::size_t nodes = 0;
  for (const Cluster& cluster : ui.model.clusters) nodes += cluster.nodes.size();
  return nodes >= kManyNodes;
}

// least: how long an answer stays before there is another one.
bool is_due(const FleetState& fleet, const UiState& state, const UiContext& ui, Duration least) {
  if (!fleet.question || fleet.question->file != fleet.file) return true;
  // One at a time: on a busy cluster no answer would ever be of the last one.
  if (!fleet.answered()) return false;
  const Duration age = ui.wall - fleet.question->wall;
  if (age < least) return false;
  if (fleet.file->fleet.has_windows() && age >= kWindowsEvery) return true;
  return fleet.revision != ui.model.revision + 1 || fleet.question->runs != state.runs.heads;
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

void ask_where_due(UiState& state, const UiContext& ui, Duration least) {
  const char* refused = state.past ? "the past is shown, and a fleet file is about now" : "";
  const bool due = !state.past && is_due(*state.fleet, state, ui, least);
  if (!due && state.fleet->refused == refused) return;
  change_kept(state.fleet, [&](FleetState& fleet) {
    fleet.refused = refused;
    if (state.past) fleet.question = nullptr, fleet.answer = nullptr;
    if (!due) return;
    fleet.question = question_of(fleet, state, ui);
    fleet.revision = ui.model.revision + 1;
  });
}

bool says_the_same(const FleetFile& one, const FleetFile& other) {
  if (one.stamp != other.stamp || one.failure.has_value() != other.failure.has_value()) return false;
  return !one.failure || to_line(*one.failure) == to_line(*other.failure);
}

std::ptrdiff_t count_loaded(const std::vector<Cluster>& clusters) {
  return std::count_if(clusters.begin(), clusters.end(), [](const Cluster& one) { return one.loaded; });
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
  fleet.of_settings = path;
  fleet.path = std::move(path);
  return std::make_shared<const FleetState>(std::move(fleet));
}

void refresh_fleet(UiState& state, Screen&, const UiContext& ui) {
  if (!state.fleet || !state.fleet->file || state.fleet->file->failure) return;
  if (state.fleet->calendar) change_kept(state.fleet, [&](FleetState& fleet) { list_windows(fleet, ui); });
  ask_where_due(state, ui, has_many_nodes(ui) ? kManyEvery : Duration{0});
}

void refresh_fleet_findings(UiState& state, const UiContext& ui) {
  if (!finds_in_fleet(state) || !state.fleet->file || state.fleet->file->failure) return;
  const std::ptrdiff_t loaded = count_loaded(ui.model.clusters);
  if (loaded == 0) return;
  // What runs do is no drift: the first answer would stand for minutes.
  if (state.runs.available && !state.runs.listed) return;
  const FleetQuestion* asked = state.fleet->question.get();
  const bool more = asked && count_loaded(asked->clusters) != loaded;  // a console that has just started
  ask_where_due(state, ui, more ? Duration{0} : has_many_nodes(ui) ? kManyFindingsEvery : kFindingsEvery);
}

std::optional<TimePoint> fleet_next_change(const UiState& state, const UiContext& ui) {
  if (!state.fleet || !state.fleet->question) return std::nullopt;
  if (state.fleet->revision == ui.model.revision + 1) return std::nullopt;
  return state.fleet->question->wall + kManyEvery;
}

void take_file(UiState& state, const UiContext& ui, const FleetTold& told) {
  if (!state.fleet || state.fleet->path != told.path) return;
  const bool changed = state.fleet->changed;
  const std::string paused = state.fleet->paused;
  const std::shared_ptr<const FleetFile> before = state.fleet->file;
  change_kept(state.fleet, [&](FleetState& fleet) {
    fleet.paused = told.paused;
    fleet.looks_for_plan = false;
    if (!told.file) {
      fleet.changed = fleet.file && fleet.file->stamp != told.stamp;
      return;
    }
    // The same file again keeps what is known of it.
    const bool same = fleet.file && says_the_same(*fleet.file, *told.file);
    fleet.read_at = ui.wall;
    fleet.changed = false;
    if (same) return;
    fleet.file = told.file;
    fleet.question = nullptr, fleet.answer = nullptr, fleet.due.clear();
  });
  // Its findings stand among the others, which are worked out for another reason.
  if (state.fleet->changed != changed || state.fleet->file != before || state.fleet->paused != paused)
    state.overview.valid = false;
  if (!told.file && state.fleet->changed && state.top().kind == ScreenKind::plan)
    say(state, ui, Severity::danger,
        "the fleet file has changed since it was read: this plan is of the file before");
  if (told.failure) say(state, ui, Severity::danger, to_line(*told.failure));
}

void take_fleet(UiState& state, const FleetSeen& seen) {
  if (!state.fleet || !seen.what || seen.what->question != state.fleet->question) return;
  if (state.fleet->answer != seen.what) state.overview.valid = false;
  change_kept(state.fleet, [&](FleetState& fleet) {
    fleet.answer = seen.what, fleet.evidence = seen.evidence, fleet.all_told = seen.all;
  });
}

Effects look_at_fleet(UiState& state, const UiContext& ui) {
  Effects effects;
  if (state.top().kind != ScreenKind::fleet && !finds_in_fleet(state)) return effects;
  if (!state.fleet || !state.fleet->file) return effects;
  const Duration age = std::chrono::duration_cast<Duration>(ui.wall - state.fleet->looked_at);
  if (age >= Duration{0} && age < kLookEvery) return effects;
  change_kept(state.fleet, [&](FleetState& fleet) { fleet.looked_at = ui.wall; });
  // Of a file with an error its text may be the same where what is wrong is another thing: its rights, a
  // zone.
  const auto what = state.fleet->file->failure ? FleetOrder::What::read : FleetOrder::What::look;
  effects.fleet = FleetOrder{what, state.fleet->path, "", ""};
  return effects;
}

}  // namespace tessera::tui
