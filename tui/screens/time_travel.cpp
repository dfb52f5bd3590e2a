#include "tui/screens/time_travel.hpp"

namespace tessera::tui {

std::string not_past(Action, const UiState& state, const UiContext&) {
  return state.past ? "" : "this moves about in a recording: tessera replay opens one";
}

Effects move_in_time(UiState& state, const UiContext&, Action action) {
  constexpr double kPlaySpeed = 60;
  Effects effects;
  TimeMove& move = effects.time.emplace();
  if (action == Action::time_play) {
    state.playing = !state.playing;
    move.speed = state.playing ? kPlaySpeed : 0;
    return effects;
  }
  move.rounds = action == Action::time_back ? -1 : 1;
  return effects;
}

}  // namespace tessera::tui
