#include "tui/screens/overview/mosaic.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/query/signs.hpp"
#include "engine/query/tables.hpp"
#include "engine/query/value.hpp"
#include "tui/screens/roles.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

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
  Strips strips{
      cluster.name, node.name.text, node.health, sight.access, {}, {}, pool_strip(node, sight, ascii)};
  for (const Gpu& gpu : node.gpus) {
    strips.gpus.push_back(query::strip(gpu, &ui.catalogue, ascii, sight));
    const auto& use = gpu.telemetry.use;
    strips.use.push_back(use ? std::optional(static_cast<double>(use->value)) : std::nullopt);
  }
  return strips;
}

bool is_unplaced(const std::string& strip) { return strip.ends_with(query::kPlacesUnknown); }
bool is_unplaced(const Strips& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [](const auto& strip) { return is_unplaced(strip); });
}

// Tiles of a GPU that works shine, those of one that is held and does nothing do not.
Style held_style(std::optional<double> use) {
  if (!use) return Role::held;
  return *use >= kBusy ? Style(Role::held).with_bold() : *use < kIdle ? Style(Role::dim) : Style(Role::held);
}

void draw_tiles_of(Canvas& canvas, int x, int y, int end, const Strips& node, bool ascii) {
  // A closed node and one of which no current list tells do not shine.
  auto draw_one = [&](const std::string& strip, int width, std::optional<double> use) {
    if (node.access == insight::Access::open)
      draw_strip(canvas, x, y, width, strip, ascii, held_style(use));
    else
      canvas.put(x, y, shorten(strip, width, ascii), Role::dim, end);
  };
  for (std::size_t i = 0; i < node.gpus.size(); ++i) {
    std::string strip = node.gpus[i];
    if (is_unplaced(strip)) strip.resize(strip.size() - query::kPlacesUnknown.size());  // said once a node
    int width = std::max(1, display_width(strip));
    if (x + width > end) {
      canvas.put(end - 1, y, glyphs(ascii).more_right, Role::dim);
      return;
    }
    draw_one(strip, width, i < node.use.size() ? node.use[i] : std::nullopt);
    x += std::max(8, width) + 1;
  }
  if (!node.pool.empty() && x < end) draw_one(node.pool, end - x, std::nullopt);
}

bool tells_use(const Strips& node) {
  return std::any_of(node.use.begin(), node.use.end(), [](const auto& use) { return use.has_value(); });
}

// Room of MIG GPUs that is in no slice.
bool has_uncut(const Strips& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [](const std::string& strip) {
    return strip.find(query::kNotCut) != std::string::npos;
  });
}

bool has_empty(const Strips& node) {
  return std::any_of(node.gpus.begin(), node.gpus.end(), [](const std::string& strip) {
    return !strip.empty() && strip.find_first_not_of(query::kNotCut) == std::string::npos;
  });
}

bool has_sign(const Strips& node, std::string_view sign) {
  return node.pool.find(sign) != std::string::npos ||
         std::any_of(node.gpus.begin(), node.gpus.end(),
                     [&](const std::string& strip) { return strip.find(sign) != std::string::npos; });
}

// What is explained only where it is seen; the last three where there is no room for all signs.
struct Rare {
  bool use = false;
  std::string letters;  // of ways to share that few sites have
  bool uncut = false;
  bool closed = false, stranded = false, unknown = false;
};

// What the signs mean: in full where there is room for all of it, else in short, as many as fit.
void draw_legend(Pen& pen, const UiState& state, Rare rare) {
  struct Meaning {
    std::string sign, meaning;
    Style style = Role::text;
  };
  const Glyphs& signs = glyphs(state.ascii);
  std::vector<Meaning> full{{"1-7 w m t s" + rare.letters, told(state, "held")}};
  std::vector<Meaning> brief = full;
  if (rare.use) {
    full.push_back({"1", told(state, "busy"), Style(Role::held).with_bold()});
    full.push_back({"1", told(state, "idle"), Role::dim});
  }
  full.push_back({state.ascii ? "3- o" : "③─ ○", told(state, "free slice")});
  full.push_back({std::string(signs.free), told(state, "free")});
  brief.push_back({state.ascii ? "3-o." : "③─○·", told(state, "free")});
  for (std::vector<Meaning>* either : {&full, &brief}) {
    if (rare.uncut) either->push_back({std::string(query::kNotCut), told(state, "not cut"), Role::dim});
    const bool all = either == &full;
    if (all || rare.closed) either->push_back({state.ascii ? ";:" : "▒░", told(state, "closed")});
    if (all || rare.stranded) either->push_back({std::string(signs.stranded), told(state, "cannot be used")});
    if (all || rare.unknown) either->push_back({std::string(signs.unknown), told(state, "not reported")});
  }
  const auto width = [](const Meaning& one) {
    return 4 + display_width(one.sign) + display_width(one.meaning);
  };
  int needs = 0;
  for (const Meaning& one : full) needs += width(one);
  for (const Meaning& one : needs <= pen.left() ? full : brief) {
    if (width(one) > pen.left()) return;
    pen.skip(3).put(one.sign, one.style).skip(1).put(one.meaning, Role::dim);
  }
}

void draw_brief_legend(Pen& pen, const UiState& state, Rare rare) {
  const Glyphs& signs = glyphs(state.ascii);
  const auto say = [&](std::string_view sign, Role role, std::string_view meaning) {
    if (pen.left() < 4 + display_width(meaning)) return;
    pen.skip(3).put(sign, role).skip(1).put(told(state, meaning), Role::dim);
  };
  pen.put("  " + told(state, "one sign per GPU"), Role::dim);
  say("█▄", Role::held, "held");
  say(signs.free, Role::free, "free");
  if (rare.uncut) say(query::kNotCut, Role::dim, "not cut");
  if (rare.closed) say(signs.closed, Role::dim, "closed");
  if (rare.unknown) say(signs.unknown, Role::unknown, "not reported");
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
  std::sort(nodes.begin(), nodes.end(), [](const auto& a, const auto& b) {
    const auto place = [](const auto& one) { return std::pair(one.second->health == Health::ok, one.first); };
    if (place(a) != place(b)) return place(a) < place(b);
    return query::natural_compare(a.second->name.view(), b.second->name.view()) < 0;
  });
  std::vector<Strips> strips;
  for (const auto& [cluster, node] : nodes)
    strips.push_back(strips_of(ui, ui.model.clusters[cluster], *node, ascii));
  return strips;
}

namespace {

// How the nodes are laid out below the heading, top to bottom, then left to right.
struct Grid {
  int width = 0;
  int shown = 0;
  int per_column = 1;
  bool brief = false;  // one sign a GPU
};
Grid grid_of(const std::vector<Strips>& nodes, Rect area, int width) {
  const int lines = area.height - 1;
  Grid grid;
  grid.width = width;
  const int columns = std::max(1, (area.width - 1) / grid.width);
  grid.shown = std::min(static_cast<int>(nodes.size()), lines * columns);
  grid.per_column = std::max(1, (grid.shown + columns - 1) / columns);
  return grid;
}

// Cells of the widest node where each GPU has one.
int brief_width(const std::vector<Strips>& nodes, int room) {
  int widest = 8;
  for (const Strips& node : nodes)
    widest = std::max(widest, static_cast<int>(node.gpus.size()) + display_width(node.pool));
  return std::min(kName + 2 + widest + 2, room);
}

// The tiles of each GPU, or a sign for it where that shows more nodes: which of them are in trouble and which
// have room comes before how they are cut.
Grid grid_of(const std::vector<Strips>& nodes, Rect area) {
  const int room = area.width - 1;
  const auto lines = static_cast<std::size_t>(area.height - 1);
  const Grid full = grid_of(nodes, area, entry_width(nodes, lines * 4, room));
  if (static_cast<std::size_t>(full.shown) == nodes.size()) return full;
  Grid brief = grid_of(nodes, area, brief_width(nodes, room));
  brief.brief = true;
  return brief.shown > full.shown ? brief : full;
}

// "█▄·▃····", as in the list of nodes.
std::string signs_of(const UiContext& ui, const Strips& node) {
  const Cluster* cluster = ui.model.find(node.cluster);
  const Node* found = cluster ? cluster->nodes.find(NodeName(node.name)) : nullptr;
  if (!found) return {};
  for (const query::Column<query::NodeRow>& column : query::columns<query::NodeRow>())
    if (column.key == "boards")
      return query::to_text(column.value({cluster, found}, context_of(ui)), column.format);
  return {};
}

// Where "!" stands, and "!!" where findings have it: that begins in the name's last cell, so that a blank is
// left before the tiles, but for a name that needs that cell.
int sign_at(const Strips& node) {
  const bool broken = role_of(node.health) == Role::danger;
  return broken && (display_width(node.name) < kName || is_unplaced(node)) ? kName - 1 : kName;
}

// Also of a terminal that is narrower than a console can be: its cursor is looked for all the same.
bool has_room(const std::vector<Strips>& nodes, Rect area) {
  return area.height >= 3 && area.width > kName && !nodes.empty();
}

}  // namespace

std::string mosaic_id(const Strips& node) { return "m\x1f" + node.cluster.text + '\x1f' + node.name; }
std::string mosaic_id(const NodeGroup& group) { return "g\x1f" + group.cluster.text + '\x1f' + group.name; }

const Strips* tiles_under(const UiState& state, const std::string& id) {
  if (!id.starts_with("m\x1f")) return nullptr;
  for (const Strips& node : state.overview.mosaic)
    if (mosaic_id(node) == id) return &node;
  return nullptr;
}

const NodeGroup* group_under(const UiState& state, const std::string& id) {
  if (!id.starts_with("g\x1f")) return nullptr;
  for (const NodeGroup& group : state.overview.groups)
    if (mosaic_id(group) == id) return &group;
  return nullptr;
}

int mosaic_lines(const UiState& state, Rect area) {
  if (!state.overview.groups.empty()) return group_lines(state, area).all();
  return has_room(state.overview.mosaic, area) ? 1 + grid_of(state.overview.mosaic, area).per_column : 0;
}

std::vector<std::string> mosaic_ids(const UiState& state, Rect area) {
  std::vector<std::string> ids;
  if (!state.overview.groups.empty()) {
    for (int i = 0; i < group_lines(state, area).groups; ++i)
      ids.push_back(mosaic_id(state.overview.groups[static_cast<std::size_t>(i)]));
    return ids;
  }
  if (mosaic_lines(state, area) < 2) return ids;
  const int shown = grid_of(state.overview.mosaic, area).shown;
  for (int i = 0; i < shown; ++i)
    ids.push_back(mosaic_id(state.overview.mosaic[static_cast<std::size_t>(i)]));
  return ids;
}

std::optional<std::string> mosaic_id_at(const UiState& state, Rect area, int x, int y) {
  const std::vector<std::string> ids = mosaic_ids(state, area);
  if (ids.empty() || y <= area.y || y >= area.bottom() || x <= area.x) return std::nullopt;
  const int line = y - area.y - 1;
  int index = line;
  if (state.overview.groups.empty()) {
    const Grid grid = grid_of(state.overview.mosaic, area);
    if (line >= grid.per_column) return std::nullopt;
    index = (x - area.x - 1) / grid.width * grid.per_column + line;
  }
  if (index >= static_cast<int>(ids.size())) return std::nullopt;
  return ids[static_cast<std::size_t>(index)];
}

void draw_mosaic(Canvas& canvas, Rect area, const UiContext& ui, const UiState& state) {
  if (!state.overview.groups.empty()) return draw_groups(canvas, area, ui, state);
  const std::vector<Strips>& nodes = state.overview.mosaic;
  if (!has_room(nodes, area)) return;
  const Grid grid = grid_of(nodes, area);
  const int width = grid.width, shown = grid.shown;
  Pen pen(canvas, area.x + 1, area.y, area.right() - 1, state.ascii);
  pen.put(told(state, N_("MOSAIC")), Style(Role::heading).with_bold());
  const bool all = static_cast<std::size_t>(shown) == nodes.size();
  const std::string count = !all                ? fmt::format("{} of {} nodes", shown, nodes.size())
                            : nodes.size() == 1 ? fmt::format("{} node", nodes.size())
                                                : fmt::format("{} nodes", nodes.size());
  pen.put("  " + told(state, count), Role::dim);
  if (std::any_of(nodes.begin(), nodes.begin() + shown, [](const auto& node) { return is_unplaced(node); }))
    pen.put("   " + told(state, fmt::format("{} starts of slices not reported", query::kPlacesUnknown)),
            Role::dim);
  const auto seen = [&](std::string_view sign) {
    return std::any_of(nodes.begin(), nodes.begin() + shown,
                       [&](const Strips& node) { return has_sign(node, sign); });
  };
  const Glyphs& signs = glyphs(state.ascii);
  const Rare rare{std::any_of(nodes.begin(), nodes.begin() + shown, tells_use),
                  std::string(seen("v") ? " v" : "") + (seen("p") ? " p" : ""),
                  std::any_of(nodes.begin(), nodes.begin() + shown, grid.brief ? has_empty : has_uncut),
                  state.ascii ? seen(":") || seen(";") : seen("░") || seen("▒"),
                  seen(signs.stranded),
                  seen(signs.unknown)};
  if (grid.brief)
    draw_brief_legend(pen, state, rare);
  else
    draw_legend(pen, state, rare);
  for (int i = 0; i < shown; ++i) {
    const Strips& node = nodes[static_cast<std::size_t>(i)];
    int x = area.x + 1 + i / grid.per_column * width, y = area.y + 1 + i % grid.per_column;
    bool fine = node.health == Health::ok;
    Style name = fine ? Style(Role::dim) : Style(role_of(node.health));
    const bool selected = mosaic_id(node) == state.top().cursor;
    const bool broken = role_of(node.health) == Role::danger;
    const int sign = sign_at(node);
    put_cell(canvas, x, y, sign, node.name, selected ? Style(Role::text).with_bold() : name, state.ascii);
    if (!fine) canvas.put(x + sign, y, broken ? "!!" : "!", name.with_bold());
    if (is_unplaced(node)) canvas.put(x + kName + 1, y, query::kPlacesUnknown, Role::dim);
    const int end = std::min(x + width - 1, area.right() - 1);
    if (grid.brief && node.pool.empty())
      draw_strip(canvas, x + kName + 2, y, end - x - kName - 2, signs_of(ui, node), state.ascii,
                 node.access == insight::Access::open ? Role::held : Role::dim);
    else
      draw_tiles_of(canvas, x + kName + 2, y, end, node, state.ascii);
    if (!selected) continue;
    canvas.mark_selected(x, y, std::min(width - 1, area.right() - 1 - x));
    canvas.put(x - 1, y, glyphs(state.ascii).pointer, Style(Role::accent).with_bold());
  }
}

}  // namespace tessera::tui
