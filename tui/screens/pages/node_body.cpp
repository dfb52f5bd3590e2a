// A node's page: how it is walked through, tile by tile, and what Enter does on a tile.
#include "tui/screens/pages/node_body.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/query/tables.hpp"
#include "tui/screens/body.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/pages/gpu.hpp"
#include "tui/screens/pages/node.hpp"

namespace tessera::tui {
namespace {

const Node* node_on(const Screen& screen, const UiContext& ui, const Cluster** cluster) {
  *cluster = ui.model.find(screen.cluster);
  return *cluster ? (*cluster)->nodes.find(NodeName(screen.subject)) : nullptr;
}

std::string draw_node_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  draw_node(canvas, body, ui, state);
  return {};
}

// The part of a tile's or a GPU's id that names the GPU: cluster, node and GPU.
std::string board_prefix(std::string_view id) {
  std::size_t end = 0;
  for (int parts = 0; parts < 3 && end < id.size(); ++parts)
    end = std::min(id.find('\x1f', end), id.size() - 1) + 1;
  return std::string(id.substr(0, end));
}

// Where the cursor is on a node's page: GPU and stop.
std::pair<std::size_t, std::size_t> place_of(const std::vector<std::vector<std::string>>& stops,
                                             const std::string& cursor) {
  for (std::size_t board = 0; board < stops.size(); ++board)
    for (std::size_t stop = 0; stop < stops[board].size(); ++stop)
      if (stops[board][stop] == cursor) return {board, stop};
  // The tile is gone, perhaps re-cut: stay on its GPU. Its id begins with the GPU's.
  for (std::size_t board = 0; board < stops.size(); ++board)
    if (cursor.starts_with(board_prefix(stops[board].front()))) return {board, 0};
  return {0, 0};
}

double middle_of(const Board& board, const std::string& id) {
  for (const Tile& tile : board.tiles)
    if (tile.id == id && !id.empty()) return (tile.from + tile.to) / 2 / board.units;
  return 0;
}

// The stop of `GPU` that lies nearest below or above a place of another GPU.
std::size_t nearest_stop(const Board& board, const std::vector<std::string>& stops, double middle) {
  std::size_t best = 0;
  double distance_best = 2;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    double away = std::abs(middle_of(board, stops[i]) - middle);
    if (away + 1e-9 < distance_best) best = i, distance_best = away;
  }
  return best;
}

// The page that stands there, and where on it the cursor may be.
struct Walked {
  NodePage page;
  std::vector<std::vector<std::string>> stops;
  std::size_t board = 0, stop = 0;  // of the cursor
};

// nullopt: no such node, or nothing on it to walk over.
std::optional<Walked> walked(const UiState& state, const UiContext& ui, Rect body) {
  const Cluster* cluster = nullptr;
  const Node* node = node_on(state.top(), ui, &cluster);
  if (!node) return std::nullopt;
  Walked all{node_page(ui, *cluster, *node, body.width, body.height), {}};
  all.stops = stops_of(all.page.boards);
  if (all.stops.empty()) return std::nullopt;
  std::tie(all.board, all.stop) = place_of(all.stops, state.top().cursor);
  return all;
}

void move_node(UiState& state, const UiContext& ui, Rect body, Action action) {
  auto all = walked(state, ui, body);
  if (!all) return;
  auto& [page, stops, board, stop] = *all;
  Screen& screen = state.top();
  bool pool = page.boards[board].pool;
  int sideways = action == Action::cursor_left ? -1 : action == Action::cursor_right ? 1 : 0;
  int by = distance(action, 4);
  if (sideways == 0 && pool && std::abs(by) == 1) {
    int next = static_cast<int>(stop) + by * page.pool_columns;
    if (next >= 0 && next < static_cast<int>(stops[board].size())) {
      screen.cursor = stops[board][static_cast<std::size_t>(next)];
      return;
    }
  }
  if (sideways != 0) {
    stop = static_cast<std::size_t>(
        moved(static_cast<int>(stop), sideways, static_cast<int>(stops[board].size())));
  } else {
    if (action == Action::next_panel) by = 1;
    if (action == Action::previous_panel) by = -1;
    auto next = static_cast<std::size_t>(moved(static_cast<int>(board), by, static_cast<int>(stops.size())));
    if (next == board) return;
    stop = nearest_stop(page.boards[next], stops[next], middle_of(page.boards[board], stops[board][stop]));
    board = next;
  }
  screen.cursor = stops[board][stop];
}

void settle_node(UiState& state, const UiContext& ui, Rect body) {
  auto all = walked(state, ui, body);
  if (!all) return;
  auto& [page, stops, board, stop] = *all;
  Screen& screen = state.top();
  screen.cursor = stops[board][stop];
  auto [first, last] = lines_of(page, screen.cursor);
  keep_in_view(screen, first, last, body.height - page.head - (page.ruler ? 1 : 0), page.total);
}

bool click_node(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  Screen& screen = state.top();
  const Cluster* cluster = nullptr;
  const Node* node = node_on(screen, ui, &cluster);
  if (!node) return false;
  const std::string stop =
      stop_at_point(node_page(ui, *cluster, *node, body.width, body.height), body, screen.top, x, y);
  if (!stop.empty()) screen.cursor = stop;
  return !stop.empty();
}

}  // namespace

const Body kNodeBody{draw_node_body, move_node, settle_node, click_node};

Effects open_tile(UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const Cluster* cluster = nullptr;
  const Node* node = node_on(screen, ui, &cluster);
  if (!node) return {};
  if (auto holder = holder_of(*cluster, *node, screen.cursor))
    open_workload(state, ClusterName(screen.cluster), holder->text);
  else
    show_facts(state, ui);
  return {};
}

std::string why_no_tile(const UiState& state, const UiContext&) {
  return state.top().cursor.empty() ? "there is nothing to open" : "";
}

std::optional<Screen> facts_of_tile(const UiState& state, const UiContext&) {
  const Screen& screen = state.top();
  Screen facts;
  facts.cluster = screen.cluster;
  facts.subject = screen.cursor.empty() ? screen.cluster.text + "\x1f" + screen.subject : screen.cursor;
  return facts;
}

std::string copy_on_node(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  const Cluster* cluster = nullptr;
  const Node* node = node_on(screen, ui, &cluster);
  const std::vector<std::string> parts = parts_of_id(screen.cursor);
  if (!node || parts.size() < 3) return screen.subject;
  for (const Gpu& gpu : node->gpus)
    if (parts[2] == std::to_string(gpu.index.value)) return gpu_subject(node->name, gpu.index);
  return screen.subject;
}

// Of a tile: what it is and who holds it.
CellTexts node_cells(const UiState& state, const UiContext& ui) {
  CellTexts now;
  const Cluster* cluster = nullptr;
  const Node* node = node_on(state.top(), ui, &cluster);
  if (!node) return now;
  for (const Board& board : boards_of(ui, *cluster, *node))
    for (const Tile& tile : board.tiles)
      if (!tile.id.empty())
        now.emplace(std::pair(tile.id, 0),
                    tile.label + '\n' + (tile.lines.empty() ? "" : tile.lines.front()));
  return now;
}

}  // namespace tessera::tui
