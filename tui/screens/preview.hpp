// Two panes on a wide terminal: a list, and beside it the live page of the row under the cursor: of tables
// the page that Enter opens, of other lists what their row in screens.cpp names. Threads: pure functions, on
// the UI thread.
#pragma once

#include <optional>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// How wide the list on top is drawn: all of the terminal, or what a page beside it leaves. Tables know from
// their rows alone.
int list_width(const UiState& state);
int list_width(const UiState& state, const UiContext& ui);
// Of a list that has a page beside it in a terminal so wide.
int list_beside_page(int columns);
// The page that Enter opens for the row under the cursor; nullopt: there is no such row.
std::optional<Screen> page_of_row(const UiState& state, const UiContext& ui);
// The page of the one node, job or pod that the cursor is on, or that the screen is about; nullopt: there is
// none, or there are several.
std::optional<Screen> subject_here(const UiState& state, const UiContext& ui);
// The page that stands beside the list on top, or below it; nullopt: there is none.
std::optional<Screen> page_shown_beside(const UiState& state, const UiContext& ui);
// Draws the page of what the cursor is on right of the list, where there is room for both; what is left for
// the list, in cells.
int draw_preview(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state);
// Writes into the rule in that row whose page stands below it.
void name_preview(Canvas& canvas, int y, const UiContext& ui, const UiState& state);
// The same page below a rule, for a screen whose lines are as wide as the terminal; nothing where it has no
// room.
void draw_page_below(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
