// How a cluster went: what is held of it and how much of that is used, as two small charts below its line.
// Threads: pure functions.
#pragma once

#include "engine/model/model.hpp"
#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

inline constexpr int kTrendsFrom = 100;  // columns of a screen that has room for them

// The last hour at most, from what was sampled.
void draw_trend(Canvas& canvas, Rect area, int y, const UiContext& ui, const UiState& state,
                const Cluster& cluster);

}  // namespace tessera::tui
