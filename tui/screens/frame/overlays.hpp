// What lies over a screen while something is typed or chosen.
// Threads: pure drawing.
#pragma once

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// The input line at line `y`, with candidates above it.
void draw_prompt(Canvas& canvas, int y, const UiState& state, const UiContext& ui);
// The list of columns to show or to sort by, at the right edge of the body.
void draw_choice(Canvas& canvas, Rect body, const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
