// The overview's table of demand, below everything else where a terminal has room for it: what is wanted,
// what is free, what could be cut, and whether that fits. What has no room comes first; rows beyond the room
// that is left are counted. Where it is narrow or cut, or a cluster does not tell what is free, the lines of
// what is free and what waits stay. Threads: pure functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// What is known of the demand: of large clusters that which was counted last, with the moment of it; else it
// is counted now, and `at` is nullopt. nullopt: it is being counted.
struct DemandKnown {
  std::vector<DemandRow> rows;
  std::vector<ClusterName> untold;  // that did not tell what waits or is free
  std::optional<TimePoint> at;
  std::shared_ptr<const DemandQuestion> of = {};  // what was counted then; nullptr: what is there now
};
std::optional<DemandKnown> demand_known(const UiState& state, const UiContext& ui);

// Of all clusters that tell what waits, most wanted first. Before them, without a cluster: which ones do not
// tell what is free, and on machines whose GPUs two schedulers hand out, which stand in rows of both. Those
// of large clusters are what the planner's thread counted last, with the time of it.
void show_demand(OverviewData& data, const UiState& state, const UiContext& ui);

// Asks for the demand of clusters that are too large to count it between two pictures.
void refresh_demand(UiState& state, const UiContext& ui);
// When it is asked for again; nullopt: nothing has moved since, or it is being counted.
std::optional<TimePoint> demand_next_change(const UiState& state, const UiContext& ui);

// "fits now", "2 of 3 fit after a re-cut"; empty: nothing waits for it.
// short: in 21 cells.
std::string fits_text(const why::Demand& demand, const UiState& state, bool in_short = false);

// Lines, with the heading, that the table takes of an area below the mosaic; 0: it has no room there.
int demand_lines(const UiState& state, Rect spare);
// Whether it says there all that the lines of what is free and what waits say.
bool says_all_demand(const UiState& state, Rect spare);
void draw_demand(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
