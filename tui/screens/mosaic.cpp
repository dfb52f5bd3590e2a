// The mosaic on the overview: what a cluster looks like when nobody has asked anything yet.
#include <fmt/core.h>

#include <algorithm>

#include "engine/query/tables.hpp"
#include "tui/screens/overview.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMost = 256;  // nodes kept; no screen shows more
constexpr int kName = 12;
constexpr int kPoolShown = 16;  // tiles of a pool

std::string pool_strip(const Node& node, bool ascii) {
  std::string text;
  int shown = 0;
  for (const Slice& slice : node.pool) {
    if (shown++ == kPoolShown) break;
    std::string digit = slice.profile.empty() ? "s" : slice.profile.text.substr(0, 1);
    text += slice.holding == Holding::held   ? digit
            : slice.holding == Holding::free ? std::string(glyphs(ascii).free)
                                             : std::string(glyphs(ascii).unknown);
  }
  return text;
}

void draw_tiles_of(Canvas& canvas, int x, int y, int end, const World& world, const UiState& state,
                   const Node& node) {
  for (const Gpu& gpu : node.gpus) {
    std::string strip = query::strip(gpu, &world.catalogue, state.ascii);
    int width = std::max(1, display_width(strip));
    if (x + width > end) {
      canvas.put(end - 1, y, glyphs(state.ascii).more_right, Role::dim);
      return;
    }
    // What is free on a closed node cannot be taken: it does not shine.
    if (insight::takes_work(node))
      draw_strip(canvas, x, y, width, strip, state.ascii);
    else
      canvas.put(x, y, strip, Role::dim, end);
    x += std::max(8, width) + 1;
  }
  if (!node.pool.empty())
    draw_strip(canvas, x, y, std::max(0, end - x), pool_strip(node, state.ascii), state.ascii);
}

// Cells of the widest row of tiles among the nodes that may be shown.
int entry_width(const World& world, const std::vector<RowRef>& nodes, std::size_t count, int room) {
  int widest = kName + 2;
  for (std::size_t i = 0; i < std::min(count, nodes.size()); ++i)
    if (auto row = node_at(world.model, nodes[i])) {
      int tiles = static_cast<int>(row->node->gpus.size()) * 9;
      tiles += std::min(static_cast<int>(row->node->pool.size()), kPoolShown);
      widest = std::max(widest, kName + 2 + tiles);
    }
  return std::min(widest + 2, room);
}

}  // namespace

std::vector<RowRef> mosaic_nodes(const Model& model) {
  std::vector<std::pair<std::string_view, RowRef>> named;
  for (std::size_t c = 0; c < model.clusters.size(); ++c) {
    const std::vector<Node>& nodes = model.clusters[c].nodes.all();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      named.push_back({nodes[i].name.view(), {static_cast<std::uint32_t>(c), static_cast<std::uint32_t>(i)}});
  }
  auto before = [](const auto& a, const auto& b) {
    return std::pair(a.second.cluster, a.first) < std::pair(b.second.cluster, b.first);
  };
  std::size_t kept = std::min(named.size(), kMost);
  std::partial_sort(named.begin(), named.begin() + static_cast<std::ptrdiff_t>(kept), named.end(), before);
  std::vector<RowRef> refs;
  for (std::size_t i = 0; i < kept; ++i) refs.push_back(named[i].second);
  return refs;
}

void draw_mosaic(Canvas& canvas, Rect area, const World& world, const UiState& state) {
  const std::vector<RowRef>& nodes = state.overview.mosaic;
  if (area.height < 3 || nodes.empty()) return;
  int lines = area.height - 1;
  int width = entry_width(world, nodes, static_cast<std::size_t>(lines) * 4, area.width - 1);
  int columns = std::max(1, (area.width - 1) / width);
  int shown = std::min(static_cast<int>(nodes.size()), lines * columns);
  std::size_t all = 0;
  for (const Cluster& cluster : world.model.clusters) all += cluster.nodes.size();
  Pen pen(canvas, area.x + 1, area.y, area.right() - 1, state.ascii);
  pen.put("MOSAIC", Style(Role::heading).with_bold());
  pen.put(static_cast<std::size_t>(shown) < all ? fmt::format("  {} of {} nodes", shown, all)
                                                : fmt::format("  {}", all),
          Role::dim);
  int per_column = (shown + columns - 1) / columns;
  for (int i = 0; i < shown; ++i) {
    auto row = node_at(world.model, nodes[static_cast<std::size_t>(i)]);
    if (!row) continue;
    int x = area.x + 1 + i / per_column * width, y = area.y + 1 + i % per_column;
    bool fine = row->node->health == Health::ok;
    put_cell(canvas, x, y, kName, row->node->name.text,
             fine ? Style(Role::dim) : Style(role_of(row->node->health)), state.ascii);
    if (!fine) canvas.put(x + kName, y, "!", Style(role_of(row->node->health)).with_bold());
    draw_tiles_of(canvas, x + kName + 2, y, std::min(x + width - 1, area.right() - 1), world, state,
                  *row->node);
  }
}

}  // namespace tessera::tui
