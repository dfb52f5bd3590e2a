// Two panes on a wide terminal: a list, and beside it the live page of the row under the cursor.
// Threads: pure functions, on the UI thread.
#pragma once

#include <optional>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// How wide the list on top is drawn: all of the terminal, or what a page beside it leaves.
int list_width(const UiState& state);
// The page that Enter opens for the row under the cursor; nullopt: there is no such row.
std::optional<Screen> page_of_row(const UiState& state, const UiContext& ui);
// Draws that page right of the list, where there is room for both.
void draw_preview(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
