// The mosaic on the overview: what a cluster looks like before anything was asked.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "engine/query/tables.hpp"
#include "tui/screens/overview/overview.hpp"
#include "tui/screens/roles.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMost = 120;  // nodes kept; hardly a screen shows more
constexpr int kName = 12;
constexpr int kPoolShown = 16;  // tiles of a pool

std::string pool_strip(const Node& node, const insight::Sight& sight, bool ascii) {
  std::string text;
  int shown = 0;
  for (const Slice& slice : node.pool) {
    if (shown++ == kPoolShown) break;
    std::string digit = slice.profile.empty() ? "s" : slice.profile.text.substr(0, 1);
    switch (insight::availability(sight, slice)) {
      case insight::Availability::held: text += digit; break;
      case insight::Availability::free: text += glyphs(ascii).free; break;
      case insight::Availability::closed: text += glyphs(ascii).closed; break;
      case insight::Availability::unknown: text += glyphs(ascii).unknown; break;
    }
  }
  return text;
}

Strips strips_of(const UiContext& ui, const Cluster& cluster, const Node& node, bool ascii) {
  const insight::Sight sight = insight::sight_of(cluster, node);
  Strips strips{cluster.name, node.name.text, node.health, sight.access, {}, pool_strip(node, sight, ascii)};
  for (const Gpu& gpu : node.gpus) strips.gpus.push_back(query::strip(gpu, &ui.catalogue, ascii, sight));
  return strips;
}

bool is_unplaced(const std::string& strip) { return strip.ends_with(query::kPlacesUnknown); }
bool is_unplaced(const Strips& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [](const auto& strip) { return is_unplaced(strip); });
}

void draw_tiles_of(Canvas& canvas, int x, int y, int end, const Strips& node, bool ascii) {
  // A closed node and one of which no current list tells do not shine.
  auto draw_one = [&](const std::string& strip, int width) {
    if (node.access == insight::Access::open)
      draw_strip(canvas, x, y, width, strip, ascii);
    else
      canvas.put(x, y, shorten(strip, width, ascii), Role::dim, end);
  };
  for (std::string strip : node.gpus) {
    if (is_unplaced(strip)) strip.resize(strip.size() - query::kPlacesUnknown.size());  // said once a node
    int width = std::max(1, display_width(strip));
    if (x + width > end) {
      canvas.put(end - 1, y, glyphs(ascii).more_right, Role::dim);
      return;
    }
    draw_one(strip, width);
    x += std::max(8, width) + 1;
  }
  if (!node.pool.empty() && x < end) draw_one(node.pool, end - x);
}

// What the signs mean, where there is room to say all of it.
void draw_legend(Pen& pen, const UiState& state) {
  const Glyphs& signs = glyphs(state.ascii);
  const std::array<std::pair<std::string, std::string>, 6> meanings{{
      {"1-7 w m t s", told(state, "held")},
      {state.ascii ? "o-" : "○─", told(state, "free slice")},
      {std::string(signs.free), told(state, "free")},
      {std::string(signs.closed), told(state, "closed")},
      {std::string(signs.stranded), told(state, "cannot be used")},
      {std::string(signs.unknown), told(state, "not reported")},
  }};
  int needs = 0;
  for (const auto& [sign, meaning] : meanings) needs += 4 + display_width(sign) + display_width(meaning);
  if (needs > pen.left()) return;
  for (const auto& [sign, meaning] : meanings)
    pen.skip(3).put(sign, Role::text).skip(1).put(meaning, Role::dim);
}

// Cells of the widest row of tiles among the nodes that may be shown.
int entry_width(const std::vector<Strips>& nodes, std::size_t count, int room) {
  int widest = kName + 2;
  for (std::size_t i = 0; i < std::min(count, nodes.size()); ++i) {
    int tiles = static_cast<int>(nodes[i].gpus.size()) * 9 + display_width(nodes[i].pool);
    widest = std::max(widest, kName + 2 + tiles);
  }
  return std::min(widest + 2, room);
}

}  // namespace

std::vector<Strips> mosaic_nodes(const UiContext& ui, bool ascii) {
  std::vector<std::pair<std::size_t, const Node*>> nodes;
  for (const query::NodeRow& row : query::node_rows(ui.model))
    nodes.emplace_back(static_cast<std::size_t>(row.cluster - ui.model.clusters.data()), row.node);
  // Where not all of them can be shown, those with trouble must be.
  const bool too_many = nodes.size() > kMost;
  auto key = [&](const auto& one) {
    const bool fine = one.second->health == Health::ok;
    return std::tuple(too_many && fine, one.first, one.second->name.view());
  };
  auto before = [&](const auto& a, const auto& b) { return key(a) < key(b); };
  std::size_t kept = std::min(nodes.size(), kMost);
  std::partial_sort(nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(kept), nodes.end(), before);
  std::vector<Strips> strips;
  for (std::size_t i = 0; i < kept; ++i)
    strips.push_back(strips_of(ui, ui.model.clusters[nodes[i].first], *nodes[i].second, ascii));
  return strips;
}

namespace {

// How the nodes are laid out below the heading, top to bottom, then left to right.
struct Grid {
  int width = 0;
  int shown = 0;
  int per_column = 1;
};
Grid grid_of(const std::vector<Strips>& nodes, Rect area) {
  const int lines = area.height - 1;
  Grid grid;
  grid.width = entry_width(nodes, static_cast<std::size_t>(lines) * 4, area.width - 1);
  const int columns = std::max(1, (area.width - 1) / grid.width);
  grid.shown = std::min(static_cast<int>(nodes.size()), lines * columns);
  grid.per_column = std::max(1, (grid.shown + columns - 1) / columns);
  return grid;
}
bool has_room(const std::vector<Strips>& nodes, Rect area) { return area.height >= 3 && !nodes.empty(); }

}  // namespace

int mosaic_lines(const UiState& state, Rect area) {
  return has_room(state.overview.mosaic, area) ? 1 + grid_of(state.overview.mosaic, area).per_column : 0;
}

std::optional<std::pair<ClusterName, NodeName>> mosaic_node_at(const UiContext& ui, const UiState& state,
                                                               Rect body, int x, int y) {
  const std::vector<Strips>& nodes = state.overview.mosaic;
  const Rect area = mosaic_area(state, body);
  if (!has_room(nodes, area) || y <= area.y || y >= area.bottom() || x <= area.x) return std::nullopt;
  const Grid grid = grid_of(nodes, area);
  const int line = y - area.y - 1, column = (x - area.x - 1) / grid.width;
  const int index = column * grid.per_column + line;
  if (line >= grid.per_column || index >= grid.shown) return std::nullopt;
  const Strips& node = nodes[static_cast<std::size_t>(index)];
  const Cluster* cluster = ui.model.find(node.cluster);
  if (!cluster || !cluster->nodes.find(NodeName(node.name))) return std::nullopt;
  return std::pair(node.cluster, NodeName(node.name));
}

void draw_mosaic(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  const std::vector<Strips>& nodes = state.overview.mosaic;
  if (!has_room(nodes, area)) return;
  const Grid grid = grid_of(nodes, area);
  const int width = grid.width, shown = grid.shown;
  const std::size_t all = nodes.size() < kMost ? nodes.size() : query::node_rows(ui.model).size();
  Pen pen(canvas, area.x + 1, area.y, area.right() - 1, state.ascii);
  pen.put("MOSAIC", Style(Role::heading).with_bold());
  pen.put(static_cast<std::size_t>(shown) < all ? fmt::format("  {} of {} nodes", shown, all)
                                                : fmt::format("  {} nodes", all),
          Role::dim);
  if (std::any_of(nodes.begin(), nodes.begin() + shown, [](const auto& node) { return is_unplaced(node); }))
    pen.put("   " + told(state, fmt::format("{} starts of slices not reported", query::kPlacesUnknown)),
            Role::dim);
  draw_legend(pen, state);
  for (int i = 0; i < shown; ++i) {
    const Strips& node = nodes[static_cast<std::size_t>(i)];
    int x = area.x + 1 + i / grid.per_column * width, y = area.y + 1 + i % grid.per_column;
    bool fine = node.health == Health::ok;
    Style name = fine ? Style(Role::dim) : Style(role_of(node.health));
    put_cell(canvas, x, y, kName, node.name, name, state.ascii);
    if (!fine) canvas.put(x + kName, y, "!", name.with_bold());
    if (is_unplaced(node)) canvas.put(x + kName + 1, y, query::kPlacesUnknown, Role::dim);
    draw_tiles_of(canvas, x + kName + 2, y, std::min(x + width - 1, area.right() - 1), node, state.ascii);
  }
}

}  // namespace tessera::tui
