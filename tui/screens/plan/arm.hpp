// Arming: a name is typed exactly, then a second key starts what was armed. Esc cancels.
// Threads: the UI thread.
#pragma once

#include <string>

#include "tui/update.hpp"

namespace tessera::tui {

// Opens the line on which the node's name, or the number of nodes, is typed.
void open_arming(UiState& state, decltype(Arming::what) what, const plan::Plan& plan);
// The typed text was accepted with Enter: armed, or the line stays open and says why not.
void accept_arming(UiState& state, const UiContext& ui);
void disarm(UiState& state);
// The second key: orders what was armed, unless the world has moved.
Effects confirm_arming(UiState& state, const UiContext& ui);

// "Type n0031 to arm: "
std::string arming_prompt(const Arming& arming);
// "! starts 8 steps on n0031; Esc cancels"
std::string armed_text(const UiState& state);

}  // namespace tessera::tui
