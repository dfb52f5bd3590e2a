// draw: model and state in, cells out. Pure, so that a golden test is text in and cells out.
// Threads: the UI thread; reads only.
#pragma once

#include "tui/state.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// Draws the whole screen at the canvas's size. The canvas is cleared first.
void draw(const World& world, const UiState& state, Canvas& canvas);

}  // namespace tessera::tui
