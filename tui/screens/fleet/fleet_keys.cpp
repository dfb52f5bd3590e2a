// The keys of the fleet screen: reading the file, and the way to a plan of what drifts.
#include <fmt/core.h>

#include <algorithm>

#include "engine/fleet/begun.hpp"
#include "engine/fleet/run_words.hpp"
#include "engine/insight/available.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"
#include "tui/change_kept.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/fleet/fleet.hpp"
#include "tui/screens/plan/plan.hpp"

namespace tessera::tui {
namespace {

using fleet::Standing;

Effects ask(FleetOrder::What what, const UiState& state) {
  Effects effects;
  effects.fleet = FleetOrder{what, state.fleet->path, state.me, state.fleet->paused};
  return effects;
}

// Which nodes a key plans: this one, those of its pool, those of its cluster.
bool is_meant(Action action, const FleetRow& here, const fleet::Survey& survey,
              const fleet::NodeSurvey& node) {
  if (node.standing != Standing::drifts || &survey != here.survey) return false;
  if (action == Action::fleet_cluster) return true;
  return action == Action::fleet_pool ? node.pool == here.node->pool : &node == here.node;
}

std::string why_not_answered(const UiState& state) {
  if (!state.fleet || state.fleet->path.empty()) return "no fleet file is named: :fleet FILE";
  const FleetState& fleet = *state.fleet;
  if (!fleet.file) return "the file is being read";
  if (fleet.file->failure) return fleet.file->failure->reason;
  if (fleet.changed) return "the file has changed since it was read: read it again first";
  if (fleet.calendar) return "the calendar is shown: the list of nodes has plans";
  if (!fleet.refused.empty()) return fleet.refused;
  if (!fleet.answer) return "the clusters are being held against the file";
  if (fleet.answer->failure) return fleet.answer->failure->reason;
  return fleet.answer->rows.empty() ? "no node is ruled by this file" : "";
}

std::string why_no_plan(Action action, const UiState& state) {
  if (std::string why = why_not_answered(state); !why.empty()) return why;
  const FleetRow& here = *fleet_row_here(state);
  const auto meant = [&](const fleet::NodeSurvey& node) {
    return is_meant(action, here, *here.survey, node);
  };
  if (std::any_of(here.survey->nodes.begin(), here.survey->nodes.end(), meant)) return "";
  if (action == Action::fleet_pool) return fmt::format("no node of pool {} drifts", here.node->pool->name);
  if (action == Action::fleet_cluster)
    return fmt::format("no node of {} drifts", here.survey->cluster->name.text);
  return here.node->standing == Standing::as_wanted ? "nothing to do: this node is as the file says"
                                                    : here.node->why;
}

// A demand is spread over GPUs as they stood: one that is another one by now may be held.
bool has_moved(const UiState& state, const UiContext& ui, const fleet::Survey& survey,
               const std::set<NodeName>& nodes) {
  const Cluster* cluster = ui.model.find(survey.cluster->name);
  if (!cluster || !insight::nodes_are_current(*cluster)) return true;
  const FleetFile& file = *state.fleet->file;
  const TimePoint then = cluster_now(*survey.cluster, state.fleet->question->wall),
                  now = cluster_now(*cluster, ui.wall);
  for (const fleet::Pool& pool : file.fleet.pools)
    if (!pool.windows.empty() && !fleet::same_rule(fleet::rule_at(file.fleet, pool, file.zone, then),
                                                   fleet::rule_at(file.fleet, pool, file.zone, now)))
      return true;  // a window has opened or ended
  if (state.fleet->revision == ui.model.revision + 1 && !state.fleet->working()) return false;
  return std::any_of(survey.nodes.begin(), survey.nodes.end(), [&](const fleet::NodeSurvey& one) {
    if (!nodes.contains(one.node->name) || one.rule()->kind != fleet::Rule::Kind::demand) return false;
    const Node* now = cluster->nodes.find(one.node->name);
    return !now || !(now->gpus == one.node->gpus);
  });
}

Effects plan(UiState& state, const UiContext& ui, Action action) {
  const FleetState& fleet = *state.fleet;
  const FleetRow& here = *fleet_row_here(state);
  std::set<NodeName> nodes, but;
  for (const fleet::NodeSurvey& node : here.survey->nodes)
    (is_meant(action, here, *here.survey, node) ? nodes : but).insert(node.node->name);
  if (has_moved(state, ui, *here.survey, nodes)) {
    say(state, ui, Severity::warning, "the cluster has changed: it is being held against the file again");
    change_kept(state.fleet, [](FleetState& fleet) { fleet.revision = 0; });
    return {};
  }
  const Cluster& cluster = *ui.model.find(here.survey->cluster->name);
  // The whole path tells files of one name apart; without one it is the name alone.
  const std::string& path = fleet.known_by();
  const std::string file = path.starts_with('/')
                               ? clean(path, 300)
                               : clean(path.substr(path.rfind('/') + 1), 100);  // npos + 1 is 0
  const auto intent = fleet::intent_of(*here.survey, fleet::words_of(file), {}, nullptr, but);
  const plan::SiteRules rules = fleet::rules_of(fleet.file->fleet, cluster.name, state.rules);
  Result<plan::Plan> plan = plan_for(state, ui, *intent, rules);
  if (!plan) {
    say(state, ui, Severity::danger, to_line(plan.error()));
    return {};
  }
  fleet::keep_demands(*plan, *here.survey);
  open_plan(state, ui, std::move(*plan), {});
  state.plan->rules = rules;
  change_kept(state.fleet, [](FleetState& kept) { kept.looks_for_plan = true; });
  return ask(FleetOrder::What::look, state);  // the last look was up to ten seconds ago
}

// What ends a pause lets a timer begin changes: a key that slips must not do that.
Effects pause(UiState& state) {
  if (state.fleet->paused.empty()) return ask(FleetOrder::What::pause, state);
  open_prompt(state, InputKind::command);
  state.input.text = info(Action::fleet_unpause).id;
  state.input.cursor = state.input.text.size();
  return {};
}

void turn_calendar(UiState& state) {
  change_kept(state.fleet, [](FleetState& fleet) { fleet.calendar = !fleet.calendar; });
  state.top().cursor.clear();
  state.top().top = 0;
}

}  // namespace

Effects open_fleet_file(UiState& state, const std::string& path) {
  go_to(state, ScreenKind::fleet);
  if (!state.fleet || state.fleet->path != path) {
    std::string of_settings = state.fleet ? state.fleet->of_settings : "";
    state.fleet = fleet_named(path);
    change_kept(state.fleet, [&](FleetState& fleet) { fleet.of_settings = std::move(of_settings); });
    state.overview.valid = false;  // the findings of the file before are among its own
  }
  return path.empty() ? Effects() : ask(FleetOrder::What::read, state);
}

Effects show_fleet(UiState& state, const UiContext&, Action) {
  return open_fleet_file(state, state.fleet ? state.fleet->path : "");
}

Effects act_on_fleet(UiState& state, const UiContext& ui, Action action) {
  switch (action) {
    case Action::fleet_read: return ask(FleetOrder::What::read, state);
    case Action::fleet_calendar: turn_calendar(state); return {};
    case Action::fleet_pause: return pause(state);
    case Action::fleet_unpause: return ask(FleetOrder::What::unpause, state);
    default: return plan(state, ui, action);
  }
}

std::string why_not_on_fleet(Action action, const UiState& state, const UiContext&) {
  if (state.top().kind != ScreenKind::fleet) return "this works on the screen of :fleet";
  if (!state.fleet || state.fleet->path.empty()) return "no fleet file is named: :fleet FILE";
  switch (action) {
    case Action::fleet_read:
    case Action::fleet_pause: return "";  // of a file that cannot be read, too
    case Action::fleet_calendar:
      return state.fleet->file && !state.fleet->file->failure ? "" : "the file could not be read";
    case Action::fleet_unpause: return state.fleet->paused.empty() ? "it is not paused" : "";
    default: return why_no_plan(action, state);
  }
}

Effects open_on_fleet(UiState& state, const UiContext& ui) { return plan(state, ui, Action::open); }

std::string why_no_open_on_fleet(const UiState& state, const UiContext&) {
  return why_no_plan(Action::open, state);
}

std::string copy_on_fleet(const UiState& state, const UiContext&) {
  const std::string why = why_not_answered(state);
  if (state.fleet && state.fleet->calendar && state.fleet->file && !state.fleet->file->failure)
    return "tessera fleet calendar " + shell_word(state.fleet->path);
  return why.empty()
             ? fmt::format("tessera fleet explain {} {}", fleet_row_here(state)->node->node->name.text,
                           shell_word(state.fleet->path))
             : "";
}

}  // namespace tessera::tui
