#include "engine/guide/chart_layers.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace tessera::guide {

namespace {

constexpr int kSweeps = 6;
// Beyond this the list says more than a drawing.
constexpr std::size_t kMaxItems = 400;

using Row = std::vector<LayerItem>;

struct Hop {  // one edge between two neighbouring rows, by position
  int edge;
  int upper, lower;
};

int id_of(const Flowchart& chart, const std::string& id) {
  for (std::size_t i = 0; i < chart.questions().size(); ++i) {
    if (chart.questions()[i].id == id) return static_cast<int>(i);
  }
  for (std::size_t i = 0; i < chart.leaves().size(); ++i) {
    if (chart.leaves()[i].id == id) return static_cast<int>(chart.questions().size() + i);
  }
  return -1;  // the loader lets no such edge through
}

std::vector<LayerEdge> edges_of(const Flowchart& chart) {
  std::vector<LayerEdge> edges;
  for (std::size_t i = 0; i < chart.questions().size(); ++i) {
    edges.push_back({static_cast<int>(i), id_of(chart, chart.questions()[i].yes), true});
    edges.push_back({static_cast<int>(i), id_of(chart, chart.questions()[i].no), false});
  }
  return edges;
}

// Longest way from the start; there is no cycle, so it settles within as many rounds as there are nodes.
std::vector<int> depths(const std::vector<LayerEdge>& edges, std::size_t nodes) {
  std::vector<int> depth(nodes, 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const LayerEdge& edge : edges) {
      int& below = depth[static_cast<std::size_t>(edge.to)];
      const int wanted = depth[static_cast<std::size_t>(edge.from)] + 1;
      if (below >= wanted) continue;
      below = wanted;
      changed = true;
    }
  }
  return depth;
}

LayerItem box_item(int node, int width) {
  LayerItem item;
  item.node = node;
  item.width = width;
  item.in_port = width / 2;
  item.left_port = std::max(1, width / 4);
  item.right_port = std::max(item.left_port + 1, width - 2 - width / 4);
  return item;
}

// Boxes in the order of a walk that answers yes first, with a lane wherever an edge passes a row.
class Filler {
 public:
  Filler(Layers& layers, const std::vector<int>& depth, const std::vector<int>& widths)
      : layers_(layers), depth_(depth), widths_(widths), done_(depth.size(), false) {}

  void from(int node) {
    if (done_[static_cast<std::size_t>(node)]) return;
    done_[static_cast<std::size_t>(node)] = true;
    row(depth_of(node)).push_back(box_item(node, widths_[static_cast<std::size_t>(node)]));
    for (std::size_t e = 0; e < layers_.edges.size(); ++e) {
      const LayerEdge& edge = layers_.edges[e];
      if (edge.from != node) continue;
      for (int depth = depth_of(node) + 1; depth < depth_of(edge.to); ++depth) {
        LayerItem lane;
        lane.edge = static_cast<int>(e);
        row(depth).push_back(lane);
      }
      from(edge.to);
    }
  }

 private:
  int depth_of(int node) const { return depth_[static_cast<std::size_t>(node)]; }
  Row& row(int depth) {
    if (layers_.rows.size() <= static_cast<std::size_t>(depth)) {
      layers_.rows.resize(static_cast<std::size_t>(depth) + 1);
    }
    return layers_.rows[static_cast<std::size_t>(depth)];
  }

  Layers& layers_;
  const std::vector<int>& depth_;
  const std::vector<int>& widths_;
  std::vector<bool> done_;
};

int position(const Row& row, int node, int edge) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (row[i].node >= 0 ? row[i].node == node : row[i].edge == edge) return static_cast<int>(i);
  }
  return -1;
}

std::vector<Hop> hops(const Layers& layers, std::size_t upper) {
  std::vector<Hop> all;
  const Row& above = layers.rows[upper];
  const Row& below = layers.rows[upper + 1];
  for (std::size_t e = 0; e < layers.edges.size(); ++e) {
    const LayerEdge& edge = layers.edges[e];
    const int from = position(above, edge.from, static_cast<int>(e));
    const int to = position(below, edge.to, static_cast<int>(e));
    if (from >= 0 && to >= 0) all.push_back({static_cast<int>(e), from, to});
  }
  return all;
}

int port(const LayerItem& item, const LayerEdge& edge) {
  if (item.node < 0) return item.x;
  return item.x + (edge.yes ? item.left_port : item.right_port);
}

const LayerItem& item_at(const Row& row, int index) { return row[static_cast<std::size_t>(index)]; }

// Mean position of the neighbours above (or below); those without keep their own.
void order_row(Layers& layers, std::size_t at, bool down) {
  Row& row = layers.rows[at];
  std::vector<double> weight(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) {
    double sum = 0;
    int count = 0;
    for (const Hop& hop : hops(layers, down ? at - 1 : at)) {
      if ((down ? hop.lower : hop.upper) != static_cast<int>(i)) continue;
      const bool yes = layers.edges[static_cast<std::size_t>(hop.edge)].yes;
      // The yes port stands left of the no port.
      sum += (down ? hop.upper + (yes ? 0.0 : 0.4) : hop.lower);
      ++count;
    }
    weight[i] = count > 0 ? sum / count : static_cast<double>(i);
  }
  std::vector<std::size_t> order(row.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return weight[a] < weight[b]; });
  Row sorted;
  for (std::size_t i : order) sorted.push_back(row[i]);
  row = std::move(sorted);
}

int crossings(const Layers& layers) {
  int count = 0;
  for (std::size_t at = 0; at + 1 < layers.rows.size(); ++at) {
    const std::vector<Hop> all = hops(layers, at);
    const auto top = [&](const Hop& hop) {
      return 2 * hop.upper + (layers.edges[static_cast<std::size_t>(hop.edge)].yes ? 0 : 1);
    };
    for (std::size_t a = 0; a < all.size(); ++a) {
      for (std::size_t b = a + 1; b < all.size(); ++b) {
        count += (top(all[a]) - top(all[b])) * (all[a].lower - all[b].lower) < 0 ? 1 : 0;
      }
    }
  }
  return count;
}

void order(Layers& layers) {
  std::vector<Row> best = layers.rows;
  int fewest = crossings(layers);
  for (int sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
    if (sweep % 2 == 0) {
      for (std::size_t at = 1; at < layers.rows.size(); ++at) order_row(layers, at, true);
    } else {
      for (std::size_t at = layers.rows.size() - 1; at-- > 0;) order_row(layers, at, false);
    }
    const int now = crossings(layers);
    if (now >= fewest) continue;
    fewest = now;
    best = layers.rows;
  }
  layers.rows = std::move(best);
}

// Places as near as possible to the wishes, in order and apart: neighbours that push one another share their
// mean (pool adjacent violators).
void settle(Row& row, const std::vector<double>& wish, int gap) {
  std::vector<double> offset(row.size(), 0);
  for (std::size_t i = 1; i < row.size(); ++i) offset[i] = offset[i - 1] + row[i - 1].width + gap;
  struct Block {
    double sum;
    std::size_t count;
    double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < row.size(); ++i) {
    blocks.push_back({wish[i] - offset[i], 1});
    while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
      const Block last = blocks.back();
      blocks.pop_back();
      blocks.back().sum += last.sum;
      blocks.back().count += last.count;
    }
  }
  std::size_t i = 0;
  for (const Block& block : blocks) {
    for (std::size_t k = 0; k < block.count; ++k, ++i) {
      row[i].x = static_cast<int>(block.mean() + offset[i] + 1000.5) - 1000;
      if (i > 0) row[i].x = std::max(row[i].x, row[i - 1].x + row[i - 1].width + gap);
    }
  }
}

void place_row(Layers& layers, std::size_t at, bool down, int gap) {
  Row& row = layers.rows[at];
  std::vector<double> wish(row.size());
  const std::vector<Hop> all = hops(layers, down ? at - 1 : at);
  for (std::size_t i = 0; i < row.size(); ++i) {
    double sum = 0;
    int count = 0;
    for (const Hop& hop : all) {
      if ((down ? hop.lower : hop.upper) != static_cast<int>(i)) continue;
      const LayerEdge& edge = layers.edges[static_cast<std::size_t>(hop.edge)];
      if (down) {
        sum += port(item_at(layers.rows[at - 1], hop.upper), edge) - row[i].in_port;
      } else {
        const LayerItem& below = item_at(layers.rows[at + 1], hop.lower);
        sum += below.x + below.in_port - (port(row[i], edge) - row[i].x);
      }
      ++count;
    }
    wish[i] = count > 0 ? sum / count : row[i].x;
  }
  settle(row, wish, gap);
}

void place(Layers& layers, int gap) {
  for (Row& row : layers.rows) settle(row, std::vector<double>(row.size(), 0), gap);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t at = 1; at < layers.rows.size(); ++at) place_row(layers, at, true, gap);
    if (sweep + 1 == kSweeps) break;
    for (std::size_t at = layers.rows.size() - 1; at-- > 0;) place_row(layers, at, false, gap);
  }
  int left = layers.rows[0][0].x, right = left;
  for (const Row& row : layers.rows) {
    left = std::min(left, row.front().x);
    right = std::max(right, row.back().x + row.back().width);
  }
  for (Row& row : layers.rows) {
    for (LayerItem& item : row) item.x -= left;
  }
  layers.width = right - left;
}

bool overlap(const ChannelRun& a, const ChannelRun& b) {
  return std::min(a.top, a.bottom) <= std::max(b.top, b.bottom) + 1 &&
         std::min(b.top, b.bottom) <= std::max(a.top, a.bottom) + 1;
}

// A must turn above B where A comes down in the column in which B goes on.
bool before(const ChannelRun& a, const ChannelRun& b) { return a.top == b.bottom && a.edge != b.edge; }

// Tracks from the top; false: two runs each want to be above the other.
bool route(std::vector<ChannelRun>& runs, int& tracks) {
  std::vector<ChannelRun*> open;
  for (ChannelRun& run : runs) {
    if (run.top != run.bottom) open.push_back(&run);
  }
  std::vector<ChannelRun*> done;
  while (!open.empty()) {
    const auto next = std::find_if(open.begin(), open.end(), [&](const ChannelRun* run) {
      return std::none_of(open.begin(), open.end(),
                          [&](const ChannelRun* other) { return before(*other, *run); });
    });
    if (next == open.end()) return false;
    ChannelRun* run = *next;
    int track = 0;
    for (const ChannelRun* other : done) {
      if (before(*other, *run)) track = std::max(track, other->track + 1);
    }
    const auto taken = [&](const ChannelRun* other) {
      return other->track == track && overlap(*other, *run);
    };
    while (std::any_of(done.begin(), done.end(), taken)) ++track;
    run->track = track;
    tracks = std::max(tracks, track + 1);
    done.push_back(run);
    open.erase(next);
  }
  return true;
}

bool route_all(Layers& layers) {
  for (std::size_t at = 0; at + 1 < layers.rows.size(); ++at) {
    std::vector<ChannelRun> runs;
    for (const Hop& hop : hops(layers, at)) {
      const LayerEdge& edge = layers.edges[static_cast<std::size_t>(hop.edge)];
      const LayerItem& below = item_at(layers.rows[at + 1], hop.lower);
      const int bottom = below.x + (below.node < 0 ? 0 : below.in_port);
      runs.push_back({hop.edge, port(item_at(layers.rows[at], hop.upper), edge), bottom, -1});
    }
    int tracks = 1;
    if (!route(runs, tracks)) return false;
    layers.channels.push_back(std::move(runs));
    layers.tracks.push_back(tracks);
  }
  return true;
}

}  // namespace

std::optional<Layers> arrange(const Flowchart& chart, const std::vector<int>& widths, int gap) {
  Layers layers;
  layers.edges = edges_of(chart);
  const std::vector<int> depth = depths(layers.edges, widths.size());
  Filler(layers, depth, widths).from(id_of(chart, chart.start()));
  std::size_t items = 0;
  for (const Row& row : layers.rows) items += row.size();
  if (items > kMaxItems) return std::nullopt;
  order(layers);
  place(layers, gap);
  if (!route_all(layers)) return std::nullopt;
  return layers;
}

}  // namespace tessera::guide
