// draw: model and state in, cells out. Pure, so that a golden test is text in and cells out.
// Threads: the UI thread; reads only.
#pragma once

#include <string>

#include "tui/state.hpp"
#include "tui/terminal/canvas.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// Draws the whole screen at the canvas's size. The canvas is cleared first.
void draw(const UiContext& ui, const UiState& state, Canvas& canvas);

// A source that answered as before, and our own pace, change one line: what it says, and that line drawn over
// a canvas that draw() has filled. Screens that list sources are drawn as a whole (ScreenRow::shows_sources).
std::string status_text(const UiContext& ui, const UiState& state);
void draw_status(const UiContext& ui, const UiState& state, Canvas& canvas);

}  // namespace tessera::tui
