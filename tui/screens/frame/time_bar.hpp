// The line below the title while a recording is shown: where in it this moment lies, whether time passes, and
// what happened. Threads: the UI thread.
#pragma once

#include <optional>
#include <vector>

#include "tui/terminal/canvas.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// The moment at which these stand: rounds of clusters that are shown together are seconds apart, and one
// without a round there stands at the moment that was asked for. nullopt: none of them is recorded.
std::optional<TimePoint> moment_of(const std::vector<const Cluster*>& clusters, TimePoint wall);

// In place of the rule at line y.
void draw_time_bar(Canvas& canvas, int y, const UiState& state, const UiContext& ui);

}  // namespace tessera::tui
