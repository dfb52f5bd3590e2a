// Layers, order and places of the chart's boxes, and the routes between them. Used by chart.cpp.
//
// The usual way of drawing a tree whose branches meet again: layers by longest path, a lane through every
// layer that an edge passes, few crossings by ordering, even spacing, then one channel of tracks between two
// layers. Threads: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "engine/guide/flowchart.hpp"

namespace tessera::guide {

struct LayerItem {
  int node = -1;  // questions first, then leaves; -1: a lane of an edge
  int edge = -1;  // of a lane
  int width = 1;
  int x = 0;
  int left_port = 0, right_port = 0,
      in_port = 0;  // columns from x: where yes and no leave, where lines enter
};

struct LayerEdge {
  int from = 0, to = 0;  // nodes
  bool yes = false;
};

// One edge's way through the channel below a layer.
struct ChannelRun {
  int edge = 0;
  int top = 0, bottom = 0;  // columns
  int track = -1;           // -1: straight down
};

struct Layers {
  std::vector<LayerEdge> edges;
  std::vector<std::vector<LayerItem>> rows;
  std::vector<std::vector<ChannelRun>> channels;  // below each row but the last
  std::vector<int> tracks;                        // of each channel
  int width = 0;
};

// nullopt: the lines cannot be drawn apart. widths: of each node's box.
std::optional<Layers> arrange(const Flowchart& chart, const std::vector<int>& widths, int gap);

}  // namespace tessera::guide
