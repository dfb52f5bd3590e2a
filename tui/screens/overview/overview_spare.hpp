// What stands below the mosaic where a tall terminal has lines to spare: who holds most, who waits longest,
// and what happened last. Threads: pure functions.
#pragma once

#include <span>
#include <vector>

#include "engine/insight/totals.hpp"
#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// The work that waits longest, the first `most` of it. totals: of the clusters, in their order.
std::vector<WaitingLong> waiting_longest(const Model& model, std::size_t most,
                                         std::span<const insight::Totals> totals = {});
inline constexpr int kSpareFrom = 5;    // lines below which no block is begun
inline constexpr int kSpareLines = 14;  // of a block at most: a longer list is a screen of its own
// As many of the three beside each other as fit; nothing where there are only a few lines.
void draw_spare(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
