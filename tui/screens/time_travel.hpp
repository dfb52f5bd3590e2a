// Moving about in a recording: what the keys do, and why they do nothing elsewhere.
// Threads: the UI thread.
#pragma once

#include <string>

#include "tui/update.hpp"

namespace tessera::tui {

Effects move_in_time(UiState& state, const UiContext& ui, Action action);
std::string not_past(Action action, const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
