// What lies over a screen while something is typed or chosen.
// Threads: pure drawing.
#pragma once

#include <optional>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// The input line at line `y`, with candidates above it.
void draw_prompt(Canvas& canvas, int y, const UiState& state, const UiContext& ui);
// The list of columns to show or to sort by, at the right edge of the body.
void draw_choice(Canvas& canvas, Rect body, const UiState& state, const UiContext& ui);

// What of such a list the mouse is on.
struct ListHit {
  bool inside = false;       // on the list or on what belongs to it
  std::optional<int> entry;  // its index
  int top = 0;               // the first line of the list as it is shown
};
ListHit choice_at(Rect body, const UiState& state, int x, int y);
// Of the list above the input line at line `prompt`.
ListHit candidate_at(const UiState& state, int prompt, int y);

}  // namespace tessera::tui
