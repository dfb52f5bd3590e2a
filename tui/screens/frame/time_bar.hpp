// The line below the title while a recording is shown: where in it this moment lies, whether time passes, and
// what happened. Threads: the UI thread.
#pragma once

#include "tui/terminal/canvas.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// In place of the rule at line y.
void draw_time_bar(Canvas& canvas, int y, const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
