#include "tui/screens/changed.hpp"

#include <algorithm>
#include <map>

#include "tui/screens/boards.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

using Texts = std::map<std::pair<std::string, int>, std::string>;

Texts table_cells(const UiState& state, const World& world) {
  const Screen& screen = state.top();
  Texts now;
  int height = table_height(state, world), count = static_cast<int>(screen.derived.rows.size());
  std::span<const ColumnInfo> columns = column_infos(screen.kind);
  for (int row = screen.top; row < std::min(count, screen.top + height); ++row) {
    const RowRef& ref = screen.derived.rows[static_cast<std::size_t>(row)];
    std::string id = id_at(world.model, screen.kind, ref);
    for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
      // Ages and readings always change; marking them would be noise.
      query::Format format = columns[static_cast<std::size_t>(column)].format;
      if (format != query::Format::text && format != query::Format::count) continue;
      now.emplace(std::pair(id, column), cell_text(world, screen.kind, ref, column, state.ascii));
    }
  }
  return now;
}

// Of a tile: what it is and who holds it.
Texts node_cells(const UiState& state, const World& world) {
  Texts now;
  const Cluster* cluster = world.model.find(state.top().cluster);
  const Node* node = cluster ? cluster->nodes.find(NodeName(state.top().subject)) : nullptr;
  if (!node) return now;
  for (const Board& board : boards_of(world, *cluster, *node))
    for (const Tile& tile : board.tiles)
      if (!tile.id.empty())
        now.emplace(std::pair(tile.id, 0),
                    tile.label + '\n' + (tile.lines.empty() ? "" : tile.lines.front()));
  return now;
}

Texts overview_cells(const UiState& state, const World& world) {
  Texts now;
  std::size_t count = std::min(
      {state.overview.totals.size(), state.overview.cluster_ids.size(), world.model.clusters.size()});
  for (std::size_t i = 0; i < count; ++i) {
    if (!world.model.clusters[i].loaded) continue;  // what is only being read does not change
    const insight::Totals& totals = state.overview.totals[i];
    auto add = [&](OverviewCell cell, int number) {
      now.emplace(std::pair(state.overview.cluster_ids[i], static_cast<int>(cell)), std::to_string(number));
    };
    add(OverviewCell::nodes, totals.nodes);
    add(OverviewCell::gpus, totals.gpus);
    if (totals.free) add(OverviewCell::free, *totals.free);
    add(OverviewCell::pending, totals.pending);
  }
  return now;
}

std::optional<Texts> cells_now(const UiState& state, const World& world) {
  const Screen& screen = state.top();
  if (is_table(screen.kind)) return table_cells(state, world);
  if (screen.kind == ScreenKind::node) return node_cells(state, world);
  if (screen.kind == ScreenKind::overview) return overview_cells(state, world);
  return std::nullopt;
}

}  // namespace

void remember_cells(UiState& state, const World& world) {
  CellMemory& cells = state.cells;
  std::erase_if(cells.changed, [&](const auto& cell) { return world.wall - cell.second >= kChangedFor; });
  std::optional<Texts> now = cells_now(state, world);
  if (!now) {
    cells = {};
    return;
  }
  std::string scope = derive_key(state, state.top()) + '\n' + state.top().subject;
  if (cells.scope != scope) cells = {scope, {}, {}};
  for (const auto& [cell, text] : *now) {
    auto known = cells.texts.find(cell);
    if (known != cells.texts.end() && known->second != text) cells.changed[cell] = world.wall;
  }
  cells.texts = std::move(*now);
}

bool has_changed(const UiState& state, const World& world, const std::string& id, int column) {
  if (state.cells.changed.empty()) return false;
  auto changed = state.cells.changed.find({id, column});
  return changed != state.cells.changed.end() && world.wall - changed->second < kChangedFor;
}

Style changed_or(Style plain, const UiState& state, const World& world, const std::string& id, int column) {
  return has_changed(state, world, id, column) ? Style(Role::changed).with_bold() : plain;
}

}  // namespace tessera::tui
