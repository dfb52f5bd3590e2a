#include "tui/screens/time_travel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/text.hpp"
#include "tui/past_time.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/frame/palette.hpp"
#include "tui/screens/pack/narrow.hpp"
#include "tui/screens/plan/arm.hpp"

namespace tessera::tui {
namespace {

constexpr double kPlaySpeed = 60, kFastest = 86'400;

// What "the last 03:12" is counted from: the clock of the clusters, or the newest round of a recording whose
// clock is ahead.
TimePoint counted_from(const UiState& state, const UiContext& ui) {
  std::optional<TimePoint> own;
  for (const Cluster& cluster : ui.model.clusters) {
    if (cluster.recorded) own = std::max(own.value_or(cluster.recorded->to), cluster.recorded->to);
    if (!state.past && cluster.clock) own = cluster_now(cluster, ui.wall);
  }
  const bool simulated = std::any_of(ui.model.clusters.begin(), ui.model.clusters.end(),
                                     [](const Cluster& cluster) { return cluster.simulated; });
  if (own && simulated) return *own;
  return std::max(ui.wall, own.value_or(ui.wall));
}

}  // namespace

std::span<const std::string_view> words_of_time(std::string_view command) {
  static constexpr std::array<std::string_view, 5> kTimes{"-15min", "-1h", "-1d", "now", "yesterday 03:12"};
  static constexpr std::array<std::string_view, 5> kSpeeds{"0", "1", "60", "600", "3600"};
  return command == "at" ? kTimes : kSpeeds;
}

std::string not_past(Action, const UiState& state, const UiContext&) {
  if (state.past) return "";
  return fmt::format("this moves about in a recording; {} goes to a time of it",
                     first_key(state, Action::time_at));
}

std::string not_from_live(Action, const UiState& state, const UiContext&) {
  if (!state.past) return "the live clusters are shown already";
  return state.from_live ? "" : "a recording was opened, without the live clusters";
}

std::string no_past_here(Action, const UiState& state, const UiContext&) {
  return state.past ? "" : state.no_past;
}

std::string no_recorder() {
  return "no folder of a recorder is named: --recording FOLDER, or `recording` in config.yaml";
}

Effects move_in_time(UiState& state, const UiContext&, Action action) {
  Effects effects;
  const Screen& screen = state.top();
  TimeMove& move = effects.time.emplace();
  if (action == Action::time_play) {
    state.playing = state.playing > 0 ? 0 : kPlaySpeed;
    move.speed = state.playing;
    return effects;
  }
  if (action == Action::event_back || action == Action::event_on) {
    move.events = action == Action::event_back ? -1 : 1;
    if (screen.kind == ScreenKind::node) move.node = NodeName(screen.subject);
    return effects;
  }
  move.rounds = action == Action::time_back ? -1 : 1;
  return effects;
}

Effects go_live(UiState&, const UiContext&, Action) {
  Effects effects;
  effects.time.emplace().live = true;
  return effects;
}

Effects ask_for_time(UiState& state, const UiContext&, Action) {
  open_prompt(state, InputKind::command);
  state.input.text = "at ";
  state.input.cursor = state.input.text.size();
  return {};
}

std::optional<Error> go_to_time(const UiState& state, const UiContext& ui, const std::string& text,
                                Effects& effects) {
  if (std::string reason = no_past_here(Action::time_at, state, ui); !reason.empty())
    return Error{"cannot go back", std::move(reason), "tessera record writes one"};
  // "now" as for --at: the newest round, which a recorder at work has written since the last move.
  const TimePoint from = counted_from(state, ui);
  Result<TimePoint> to = text == "now" ? from : parse_past(text, from);
  if (!to) return to.error();
  effects.time.emplace().to = *to;
  return std::nullopt;
}

std::optional<Error> set_speed(UiState& state, const std::string& text, Effects& effects) {
  if (!state.past) return Error{"cannot play", "no recording is shown", "at TIME goes to a time of one"};
  double speed = 0;
  const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), speed);
  if (wrong != std::errc() || end != text.data() + text.size() || !(speed >= 0) || speed > kFastest)
    return Error{"cannot play at \"" + clean(text, 40) + "\"", "not a number from 0 to 86400",
                 "60 is a minute in each second; 0 stops"};
  state.playing = speed;
  effects.time.emplace().speed = speed;
  return std::nullopt;
}

void enter_world(UiState& state, const UiContext& ui, const OtherWorld& world) {
  const bool dropped = state.arming.has_value();
  state.past = world.past;
  state.from_live = world.past;
  state.playing = 0;
  disarm(state);
  leave_time(state);
  state.resuming.reset();
  state.overview.valid = state.users.valid = false;
  state.cells = {};
  state.why_beside = {};
  state.large = {};
  state.gpu_notes = nullptr;  // revisions are counted by each world for itself
  for (std::vector<Screen>* stack : {&state.stack, &state.last_view})
    for (Screen& screen : *stack) screen.derived.valid = false;
  if (dropped) say(state, ui, Severity::warning, "disarmed: another time is shown");
}

std::string refused_in_past(Action action, const UiState& state) {
  if (!state.past) return "";
  switch (action) {
    case Action::plan_arm:
    case Action::arm_confirm:
    case Action::run_go_back:
    case Action::run_resume:
    case Action::run_go_on:
    case Action::resume_carry_on:
    case Action::resume_replan:
    case Action::resume_back:
      return state.from_live ? fmt::format(
                                   "the past is shown, and nothing can be changed there; {} goes back "
                                   "to the live clusters",
                                   first_key(state, Action::time_live))
                             : "the past is shown, and nothing can be changed there";
    case Action::acknowledge: return "findings of the past cannot be acknowledged";
    case Action::refresh: return "a recording is shown; there is nothing to ask";
    default: return "";
  }
}

}  // namespace tessera::tui
