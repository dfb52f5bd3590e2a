// Moving about in a recording, and between it and the live clusters: what the keys do, why they do nothing
// elsewhere, and what must not be done while the past is shown.
// Threads: the UI thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tui/update.hpp"

namespace tessera::tui {

Effects move_in_time(UiState& state, const UiContext& ui, Action action);
std::string not_past(Action action, const UiState& state, const UiContext& ui);
// Back to the live clusters.
Effects go_live(UiState& state, const UiContext& ui, Action action);
std::string not_from_live(Action action, const UiState& state, const UiContext& ui);
// Types `:at`.
Effects ask_for_time(UiState& state, const UiContext& ui, Action action);
std::string no_past_here(Action action, const UiState& state, const UiContext& ui);

// Why there is no way into the past where no folder of a recorder is known.
std::string no_recorder();

// `:at TIME` and `:speed N`. The first is also the way from the live clusters into the past.
std::optional<Error> go_to_time(const UiState& state, const UiContext& ui, const std::string& text,
                                Effects& effects);
// Values that one of the two may have, for Tab.
std::span<const std::string_view> words_of_time(std::string_view command);
std::optional<Error> set_speed(UiState& state, const std::string& text, Effects& effects);

// The model is another one from now on: nothing that was worked out of the other is kept, and nothing stays
// armed.
void enter_world(UiState& state, const UiContext& ui, const OtherWorld& world);
// Why this cannot be done while the past is shown; empty: it can.
std::string refused_in_past(Action action, const UiState& state);

}  // namespace tessera::tui
