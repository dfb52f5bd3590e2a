// One node: its facts, and each GPU as its placement map, as rich as the height allows.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "tui/screens/pages/boards.hpp"

namespace tessera::tui {

// Where everything on the page goes, in lines from the top of the scrolling part.
struct NodePage {
  std::vector<Board> boards;
  std::vector<int> tops;     // first line of each GPU
  std::vector<int> heights;  // without the gap below
  int total = 0;             // lines in all
  int text_lines = 1;        // below each bar
  int tiles_width = 0;
  int pool_columns = 1;  // tiles side by side in a pool
  int head_lines = 1;    // of the facts about the node
  int head = 1;          // lines of node facts that do not scroll
  bool ruler = false;    // a line of slice numbers follows the head
};
NodePage node_page(const UiContext& ui, const Cluster& cluster, const Node& node, int width, int height);

// Lines of the GPU that holds the stop `id`: {first, one past the last}; the first GPU's when nothing
// does.
std::pair<int, int> lines_of(const NodePage& page, const std::string& id);

// What a click there means: a tile, or the first of a GPU; empty: nothing is there.
std::string stop_at_point(const NodePage& page, Rect body, int top, int x, int y);
void draw_node(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state);

}  // namespace tessera::tui
