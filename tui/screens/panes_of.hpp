// The screens that are made of panes: a plan, a run, the journal.
// Threads: pure functions.
#pragma once

#include "tui/update.hpp"
#include "tui/widgets/panes.hpp"

namespace tessera::tui {

bool is_paned(ScreenKind kind);
// The page of the screen on top.
Panes panes_of(const World& world, const UiState& state, int width);

void move_panes(UiState& state, const World& world, Action action, Rect body, int by);
void settle_panes(UiState& state, const World& world, Rect body);
bool click_panes(UiState& state, const World& world, Rect body, int x, int y);

}  // namespace tessera::tui
