// The mosaic on the overview: what a cluster looks like before anything was asked. Each node is a row of
// tiles; where there are too many nodes for that, groups of nodes are rows. Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

inline constexpr double kBusy = 50, kIdle = 5;  // percent: from here, below
inline constexpr std::size_t kMostTiles = 120;  // nodes; hardly a screen shows more

// The nodes of small clusters, those in trouble first.
std::vector<Strips> mosaic_nodes(const UiContext& ui, bool ascii);
// The nodes of large ones by model, or by partition where all are of one model; those with trouble first.
// Empty: the clusters are small, of at most so many nodes.
std::vector<NodeGroup> node_groups(const Model& model, std::size_t most_tiles = kMostTiles);

void draw_mosaic(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);
void draw_groups(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);

// Lines of groups: a heading, one for each group that fits, and what the signs mean, where there is room.
struct GroupLines {
  int groups = 0;
  bool legend = false;
  int all() const { return groups == 0 ? 0 : 1 + groups + (legend ? 1 : 0); }
};
GroupLines group_lines(const UiState& state, Rect area);
// Lines that it takes of that area; 0: there is no room for it.
int mosaic_lines(const UiState& state, Rect area);
// What the cursor can rest on there, in the order in which it is walked through.
std::vector<std::string> mosaic_ids(const UiState& state, Rect area);
// The id of the node at a cell of the screen.
std::optional<std::string> mosaic_id_at(const UiState& state, Rect area, int x, int y);

std::string mosaic_id(const Strips& node);
std::string mosaic_id(const NodeGroup& group);
// nullptr: the cursor is elsewhere.
const Strips* tiles_under(const UiState& state, const std::string& id);
const NodeGroup* group_under(const UiState& state, const std::string& id);

}  // namespace tessera::tui
