#include "tui/screens/plan/plan.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <memory>

#include "engine/plan/node_action.hpp"
#include "engine/plan/words/as_run.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/large.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/plan/arm.hpp"
#include "tui/screens/plan/next_hours.hpp"
#include "tui/screens/plan/plan_stops.hpp"
#include "tui/screens/plan/plan_words.hpp"
#include "tui/screens/plan/runs.hpp"

namespace tessera::tui {
namespace {

// The next of a few sizes that make sense; behind the last comes the first.
template <std::size_t N>
int next_of(const std::array<int, N>& sizes, int now) {
  for (int size : sizes)
    if (size > now) return size;
  return sizes.front();
}
constexpr std::array kCanaries{0, 1, 2, 4};
constexpr std::array kBatches{1, 2, 4, 8, 16, 32};

// The console stands still while it is worked out: of larger clusters the planner's thread does it.
constexpr std::size_t kMostPlayed = 2000;

// Of the recording that is shown; nullopt: the live cluster is.
std::optional<TimePoint> shown_moment(const UiState& state, const UiContext& ui, const ClusterName& name) {
  const Cluster* cluster = state.past ? ui.model.find(name) : nullptr;
  if (!state.past) return std::nullopt;
  return cluster ? cluster_now(*cluster, ui.wall) : ui.wall;
}

// What a plan shows of one node is of the first that it does something to.
std::size_t first_changed(const plan::Plan& plan) {
  const auto changed = std::find_if(plan.nodes.begin(), plan.nodes.end(),
                                    [](const plan::NodePlan& node) { return !node.steps.empty(); });
  return changed == plan.nodes.end() ? 0 : static_cast<std::size_t>(changed - plan.nodes.begin());
}

void play(const UiState& state, const UiContext& ui, PlanView& view) {
  view.whatif = play_hours(ui, view.plan, view.hours, kMostPlayed);
  view.asked_hours = nullptr;  // what was asked of another plan or other hours is not of these
  if (view.whatif) return;
  if (auto question = hours_question(state, ui, view.plan, view.hours))
    ask_large(view.asked_hours, ui, std::move(*question), false);
}

// Plans again with these options, from what stands now. The plan before it stays when that fails.
void plan_with(UiState& state, const UiContext& ui, const plan::ChangeOptions& options) {
  PlanView& view = *state.plan;
  plan::Intent intent = view.plan.intent;
  intent.options = options;
  // The way back is planned from the run: its nodes may have been found unlike each other.
  Result<plan::Plan> planned = view.undoes.empty() ? plan_for(state, ui, intent, view.rules)
                                                   : way_back(state, ui, view.undoes, &options);
  if (!planned) {
    view.trouble = to_line(planned.error());
    say(state, ui, Severity::warning, view.trouble);
    return;
  }
  view.trouble.clear();
  view.past = shown_moment(state, ui, intent.cluster);
  view.put(std::move(*planned));
  play(state, ui, view);
  view.moved.clear();
  view.revision = ui.model.revision;
  if (view.node >= view.plan.nodes.size() || view.plan.nodes[view.node].steps.empty())
    view.node = first_changed(view.plan);
}

plan::Way toggled(plan::Way now, plan::Way to) { return now == to ? plan::Way::wait : to; }

void change_options(UiState& state, const UiContext& ui, Action action) {
  plan::ChangeOptions options = state.plan->plan.intent.options;
  switch (action) {
    case Action::plan_requeue: options.way = toggled(options.way, plan::Way::requeue); break;
    case Action::plan_cancel: options.way = toggled(options.way, plan::Way::cancel); break;
    case Action::plan_when_empty: options.when_empty = !options.when_empty; break;
    case Action::plan_on_failure:
      options.on_failure =
          options.on_failure == plan::OnFailure::park ? plan::OnFailure::undo : plan::OnFailure::park;
      break;
    case Action::plan_canary: options.canary = next_of(kCanaries, options.canary); break;
    case Action::plan_batch: options.batch = next_of(kBatches, options.batch); break;
    default: break;
  }
  plan_with(state, ui, options);
  if (!state.plan->trouble.empty()) return;
  // The options may be further down the page than it reaches.
  const plan::ChangeOptions& now = state.plan->plan.intent.options;
  const auto says = [&](std::string_view option, std::string_view value) {
    say(state, ui, Severity::info, fmt::format("{}: {}", told(state, option), told(state, value)));
  };
  switch (action) {
    case Action::plan_when_empty:
      return says(N_("when"), now.when_empty ? N_("close, apply later") : N_("wait now"));
    case Action::plan_on_failure:
      return says(N_("on failure"),
                  now.on_failure == plan::OnFailure::undo ? N_("go back by itself") : N_("park and ask"));
    case Action::plan_canary:
    case Action::plan_batch:
      return says(N_("nodes at a time"), now.canary > 0
                                             ? fmt::format("{} alone, then {}", now.canary, now.batch)
                                             : std::to_string(now.batch));
    default: return says(N_("running work"), way_text(now.way, state.plan->plan.scheduler));
  }
}

void play_other_hours(UiState& state, const UiContext& ui) {
  PlanView& view = *state.plan;
  view.hours = next_hours(view.hours);
  play(state, ui, view);
  say(state, ui, Severity::info,
      view.whatif ? whatif::headline(*view.whatif)
                  : fmt::format("the next {} h are being played", view.hours));
}

std::string why_no_hours(const PlanView& view) {
  if (!view.plan.changes_anything())
    return "this plan changes nothing: the next hours are the same without it";
  return view.whatif || hours_are_played(view) ? "" : "the next hours of this cluster cannot be played now";
}

std::string all_commands(const plan::Plan& plan) {
  std::string text;
  for (const plan::NodePlan& node : plan.nodes)
    for (const plan::Step& step : plan::steps_as_run(plan, node))
      for (const std::string& command : step.commands) text += (text.empty() ? "" : "\n") + command;
  return text;
}

// Asked for each frame: the first one that has a command answers for all.
bool has_commands(const plan::Plan& plan) {
  return std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const plan::NodePlan& node) {
    const std::vector<plan::Step> steps = plan::steps_as_run(plan, node);
    return std::any_of(steps.begin(), steps.end(), [](const auto& step) { return !step.commands.empty(); });
  });
}

}  // namespace

int next_hours(int now) { return next_of(kHoursAhead, now); }

std::shared_ptr<const whatif::Comparison> play_hours(const UiContext& ui, const plan::Plan& plan, int hours,
                                                     std::size_t most) {
  const Cluster* cluster = ui.model.find(plan.intent.cluster);
  if (!cluster || !plan.changes_anything()) return nullptr;
  if (cluster->nodes.size() > most || cluster->workloads.size() > most) return nullptr;
  const whatif::Question question{cluster, &ui.catalogue, cluster_now(*cluster, ui.wall),
                                  std::chrono::hours(hours)};
  return std::make_shared<const whatif::Comparison>(whatif::compare(question, plan));
}

std::optional<HoursQuestion> hours_question(const UiState& state, const UiContext& ui, const plan::Plan& plan,
                                            int hours, std::string wish) {
  const Cluster* cluster = ui.model.find(plan.intent.cluster);
  if (!cluster || !plan.changes_anything()) return std::nullopt;
  return HoursQuestion{then_of(state, ui, *cluster), plan, hours, std::move(wish)};
}

bool hours_are_played(const PlanView& view) { return view.asked_hours && view.asked_hours->working(); }

Result<plan::Plan> plan_for(const UiState& state, const UiContext& ui, const plan::Intent& intent,
                            const std::optional<plan::SiteRules>& rules) {
  const Cluster* cluster = ui.model.find(intent.cluster);
  if (!cluster) return Error{"cannot plan", intent.cluster.text + " is not open here", ""};
  return plan::make_plan(*cluster, ui.catalogue, intent, capabilities_of(state, *cluster),
                         rules ? *rules : state.rules, cluster_now(*cluster, ui.wall));
}

std::string nodes_text(const plan::Plan& plan) {
  if (plan.nodes.size() == 1) return plan.nodes.front().node.text;
  return fmt::format("{} nodes", plan.nodes.size());
}

void open_plan(UiState& state, const UiContext& ui, plan::Plan plan, std::string undoes) {
  // One plan at a time: an older one, and what lies over it, is left behind.
  for (std::size_t i = 1; i < state.stack.size(); ++i)
    if (state.stack[i].kind == ScreenKind::plan) {
      state.stack.resize(i);
      break;
    }
  disarm(state);
  PlanView view;
  view.past = shown_moment(state, ui, plan.intent.cluster);
  view.plan = std::move(plan);
  view.node = first_changed(view.plan);
  if (state.top().layout) view.hours = state.top().layout->hours;
  play(state, ui, view);
  view.undoes = std::move(undoes);
  view.revision = ui.model.revision;
  Screen screen;
  screen.kind = ScreenKind::plan;
  screen.cluster = view.plan.intent.cluster;
  screen.subject = nodes_text(view.plan);
  state.plan = std::move(view);
  push(state, std::move(screen));
}

std::optional<Error> open_plan_for(UiState& state, const UiContext& ui, const plan::Intent& intent) {
  Result<plan::Plan> planned = plan_for(state, ui, intent);
  if (!planned) return planned.error();
  open_plan(state, ui, std::move(*planned), {});
  return std::nullopt;
}

void follow_world(UiState& state, const UiContext& ui) {
  if (!state.plan || state.plan->revision == ui.model.revision) return;
  PlanView& view = *state.plan;
  const Cluster* cluster = ui.model.find(view.plan.intent.cluster);
  if (!cluster) return;
  view.revision = ui.model.revision;
  view.moved = plan::what_moved(view.plan, *cluster);
  if (!state.arming || !std::holds_alternative<ArmStart>(state.arming->what) || plan::may_apply(view.moved))
    return;
  disarm(state);
  say(state, ui, Severity::danger, "disarmed: " + view.moved.front().text);
}

std::string why_not_startable(const UiState& state, const UiContext& ui) {
  const PlanView& view = *state.plan;
  if (view.rules && state.fleet && state.fleet->changed)
    return "the fleet file has changed since it was read: read it again on :fleet, and plan again";
  if (view.rules && state.fleet && state.fleet->looks_for_plan)
    return "tessera has not heard yet whether the fleet file is still the one of this plan";
  if (view.past)
    return fmt::format("this plan was made of a recording, as of {}; on the live cluster {} plans again",
                       time_text(*view.past), first_key(state, Action::plan_again));
  if (!view.plan.no_steps.empty()) return "it cannot be applied: " + view.plan.no_steps;
  if (!view.plan.changes_anything()) return "nothing to do: the layout is already as requested";
  if (!view.plan.violations.empty())
    return fmt::format("it breaks a rule: {}: {}", view.plan.violations.front().rule,
                       view.plan.violations.front().text);
  if (!state.writable) return "read-only: start tessera with --write to arm a plan";
  const ClusterName& name = view.plan.intent.cluster;
  if (!state.abilities.contains(name)) return name.text + " cannot be changed from here";
  if (!state.runs.available) return "this console has no folder for the journals of runs";
  if (!state.runs.starting.empty()) return "a run is being started";
  const Cluster* cluster = ui.model.find(name);
  if (!cluster) return name.text + " is gone";
  // Asked with every frame: what was worked out for this revision still holds.
  std::vector<plan::Moved> moved =
      view.revision == ui.model.revision ? view.moved : plan::what_moved(view.plan, *cluster);
  if (!plan::may_apply(moved)) {
    auto harm =
        std::find_if(moved.begin(), moved.end(), [](const plan::Moved& one) { return !one.harmless; });
    return fmt::format("the cluster has changed: {}: {}; plan again first", harm->node.text, harm->text);
  }
  return "";
}

Effects act_on_plan(UiState& state, const UiContext& ui, Action action) {
  Effects effects;
  switch (action) {
    case Action::plan_arm: open_arming(state, ArmStart{}, state.plan->plan); break;
    case Action::plan_again:
      plan_with(state, ui, state.plan->plan.intent.options);
      if (state.plan->trouble.empty())
        say(state, ui, Severity::info, "planned again from the current layout");
      break;
    case Action::plan_hours: play_other_hours(state, ui); break;
    case Action::plan_scheduler: state.plan->other_scheduler = !state.plan->other_scheduler; break;
    case Action::plan_copy_all:
      effects.copy = all_commands(state.plan->plan);
      say(state, ui, Severity::good, "copied the commands of every step");
      break;
    case Action::plan_messages: {
      Screen screen;
      screen.kind = ScreenKind::messages;
      screen.cluster = state.plan->plan.intent.cluster;
      push(state, std::move(screen));
      break;
    }
    default: change_options(state, ui, action);
  }
  return effects;
}

std::string why_not_on_plan(Action action, const UiState& state, const UiContext& ui) {
  if (state.top().kind != ScreenKind::plan || !state.plan)
    return "this works on a plan; a layout is planned first";
  const plan::Plan& plan = state.plan->plan;
  bool many = plan.nodes.size() > 1;
  switch (action) {
    case Action::plan_arm: return why_not_startable(state, ui);
    case Action::plan_canary:
    case Action::plan_batch: return many ? "" : "the plan is about one node";
    case Action::plan_requeue:
    case Action::plan_cancel:
    case Action::plan_when_empty:
      return plan::is_node_action(plan.intent) ? "what is done to a node as a whole ends no job or pod" : "";
    case Action::plan_hours: return why_no_hours(*state.plan);
    case Action::plan_copy_all: return has_commands(plan) ? "" : "there is no command to copy";
    case Action::plan_messages:
      return !tells_owners(plan) ? "no workload is disturbed: there is no message to send" : "";
    default: return "";
  }
}

namespace {

// The position of the cursor among the stops; until it is moved, the first; -1: there is none.
int place_of(const std::vector<Stop>& stops, const UiState& state) {
  return stop_of({}, stops, state.top().cursor);
}
std::vector<Stop> plan_stops(const UiState& state, const UiContext& ui) {
  return stops_of(plan_panes(ui, state, state.size.columns));
}
// What the cursor rests on; empty: there is nothing to rest on.
std::string stop_here(const UiState& state, const UiContext& ui) {
  if (!state.top().cursor.empty()) return state.top().cursor;
  return first_plan_stop(ui, state);
}

// Unfolded, the cursor is on the first line that was hidden.
void fold_or_unfold(UiState& state, const UiContext& ui, const std::string& stop) {
  Screen& screen = state.top();
  screen.cursor = stop;
  if (screen.unfolded.erase(stop)) return;
  const auto at = static_cast<std::size_t>(place_of(plan_stops(state, ui), state));
  screen.unfolded.insert(stop);
  const std::vector<Stop> stops = plan_stops(state, ui);
  if (at < stops.size()) screen.cursor = stops[at].id, screen.cursor_at = static_cast<int>(at);
}

}  // namespace

std::string plan_copy(const UiState& state, const UiContext& ui) {
  if (!state.plan) return "";
  const std::string stop = stop_here(state, ui);
  const std::optional<plan::Step> step = step_under(*state.plan, stop);
  std::string text;
  if (step)
    for (const std::string& command : step->commands) text += (text.empty() ? "" : "\n") + command;
  else if (stop.starts_with("w\x1f"))
    text = stop.substr(2, stop.find('\x1f', 2) - 2);
  return text;
}

Effects open_on_plan(UiState& state, const UiContext& ui) {
  const std::string stop = stop_here(state, ui);
  if (stop.starts_with("m\x1f")) fold_or_unfold(state, ui, stop);
  if (stop.starts_with("w\x1f"))
    open_workload(state, ClusterName(state.top().cluster), stop.substr(2, stop.find('\x1f', 2) - 2));
  return {};
}

std::string why_no_open_on_plan(const UiState& state, const UiContext& ui) {
  const std::string stop = state.plan ? stop_here(state, ui) : std::string();
  return stop.starts_with("w\x1f") || stop.starts_with("m\x1f")
             ? ""
             : "only a job or pod can be opened here; a step's commands are below";
}

void rested_on_plan(UiState& state) {
  if (!state.plan) return;
  if (auto node = node_under(state.top().cursor)) state.plan->node = *node;
}

}  // namespace tessera::tui
