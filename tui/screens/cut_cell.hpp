// The cell of the row under the cursor that its column has no room for, in full: a reason that ends in an
// ellipsis is no answer, and the rule below the list is free.
// Threads: pure drawing.
#pragma once

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// Into what the rule in that row has left of what stands in it already: the text furthest right that is cut.
// Nothing where a page beside the list tells it, where nothing is cut, and beside a message.
void draw_cut_cell(Canvas& canvas, int y, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
