// The overview's table of demand, below everything else where a terminal is large enough for it: what is
// wanted, what is free, what could be cut, and whether that fits. What has no room comes first; rows beyond
// the room that is left are counted. Drawn only where all clusters tell what is free; elsewhere the lines of
// what is free and what waits stay. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// Of all clusters, most wanted first. Empty where there is too much to work out between two pictures. Before
// them, without a cluster: words on machines whose GPUs two schedulers hand out, which stand in rows of both.
std::vector<DemandRow> demand_rows(const Model& model, const mig::Catalogue& catalogue);

// "fits now", "2 of 3 fit after a re-cut"; empty: nothing waits for it.
std::string fits_text(const why::Demand& demand, const UiState& state);

// Lines, with the heading, that the table takes of an area below the mosaic; 0: it has no room there.
int demand_lines(const UiState& state, Rect spare);
bool has_all_demand(const UiState& state, int lines);
void draw_demand(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
