// Moving the cursor, and keeping it and the scroll where something is.
#include <algorithm>
#include <cmath>

#include "tui/screens/control.hpp"
#include "tui/screens/documents.hpp"
#include "tui/screens/frame.hpp"
#include "tui/screens/guide/guide.hpp"
#include "tui/screens/layout/layout.hpp"
#include "tui/screens/node.hpp"
#include "tui/screens/overview.hpp"
#include "tui/screens/panes_of.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

Rect body_of(const UiState& state, const World& world) { return frame_of(state, world, state.size).body; }

// Where the lines of a page stand.
Rect page_of(const UiState& state, const World& world) {
  const Rect body = body_of(state, world);
  return state.top().kind == ScreenKind::guide ? guide_areas(world, state, body).page : body;
}

// How far an action moves in a list of `page` visible lines; first and last are far beyond either end.
int distance(Action action, int page) {
  constexpr int kFar = 1 << 30;
  switch (action) {
    case Action::cursor_up: return -1;
    case Action::cursor_down: return 1;
    case Action::half_page_up: return -std::max(1, page / 2);
    case Action::half_page_down: return std::max(1, page / 2);
    case Action::page_up: return -std::max(1, page - 1);
    case Action::page_down: return std::max(1, page - 1);
    case Action::go_first: return -kFar;
    case Action::go_last: return kFar;
    default: return 0;
  }
}

int moved(int from, int by, int count) {
  return static_cast<int>(std::clamp<long>(static_cast<long>(from) + by, 0, std::max(0, count - 1)));
}

void keep_in_view(Screen& screen, int first, int last, int height, int total) {
  if (first < screen.top) screen.top = first;
  if (last > screen.top + height) screen.top = last - height;
  if (last - first > height) screen.top = first;
  screen.top = std::clamp(screen.top, 0, std::max(0, total - height));
}

// Lists of lines in which only some can hold the cursor: the overview and documents.
struct Stops {
  std::vector<std::string> ids;
  std::vector<int> lines;
};
int stop_at(const Stops& stops, const Screen& screen) {
  for (std::size_t i = 0; i < stops.ids.size(); ++i)
    if (stops.ids[i] == screen.cursor) return static_cast<int>(i);
  return std::clamp(screen.cursor_at, 0, std::max(0, static_cast<int>(stops.ids.size()) - 1));
}

Stops overview_stops(const UiState& state, int width) {
  Stops stops;
  std::vector<OverviewLine> lines = overview_lines(state, width);
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (!lines[i].id.empty()) {
      stops.ids.emplace_back(lines[i].id);
      stops.lines.push_back(static_cast<int>(i));
    }
  return stops;
}

Stops document_stops(const Document& document) {
  Stops stops;
  for (std::size_t i = 0; i < document.size(); ++i)
    if (!document[i].id.empty()) {
      stops.ids.push_back(document[i].id);
      stops.lines.push_back(static_cast<int>(i));
    }
  return stops;
}

void rest_on(Screen& screen, const Stops& stops, int at) {
  if (stops.ids.empty()) return;
  screen.cursor = stops.ids[static_cast<std::size_t>(at)];
  screen.cursor_at = at;
}

void move_overview(UiState& state, const World& world, Action action) {
  Screen& screen = state.top();
  Stops stops = overview_stops(state, state.size.columns);
  if (stops.ids.empty()) return;
  int at = stop_at(stops, screen), count = static_cast<int>(stops.ids.size());
  int clusters = static_cast<int>(state.overview.cluster_ids.size());
  if (action == Action::next_panel || action == Action::previous_panel)
    at = at < clusters && clusters < count ? clusters : 0;
  else
    at = moved(at, distance(action, overview_scroll_height(body_of(state, world).height)), count);
  rest_on(screen, stops, at);
}

void move_document(UiState& state, const World& world, Action action) {
  Screen& screen = state.top();
  Rect body = page_of(state, world);
  Document document = document_of(world, state, body.width);
  Stops stops = document_stops(document);
  int by = distance(action, body.height);
  int total = static_cast<int>(document.size());
  int at = stop_at(stops, screen), next = moved(at, by, static_cast<int>(stops.ids.size()));
  // The cursor goes from stop to stop while there is one that way; beyond, the page itself moves.
  if (!stops.ids.empty() && next != at) {
    rest_on(screen, stops, next);
    int line = stops.lines[static_cast<std::size_t>(next)];
    return keep_in_view(screen, line, line + 1, body.height, total);
  }
  screen.top = std::clamp(moved(screen.top, by, total), 0, std::max(0, total - body.height));
}

// The part of a tile's or a GPU's id that names the board: cluster, node and GPU.
std::string board_prefix(std::string_view id) {
  std::size_t end = 0;
  for (int parts = 0; parts < 3 && end < id.size(); ++parts)
    end = std::min(id.find('\x1f', end), id.size() - 1) + 1;
  return std::string(id.substr(0, end));
}

// Where the cursor is on a node's page: board and stop.
std::pair<std::size_t, std::size_t> place_of(const std::vector<std::vector<std::string>>& stops,
                                             const std::string& cursor) {
  for (std::size_t board = 0; board < stops.size(); ++board)
    for (std::size_t stop = 0; stop < stops[board].size(); ++stop)
      if (stops[board][stop] == cursor) return {board, stop};
  // The tile is gone, perhaps re-cut: stay on its board. Its id begins with the board's.
  for (std::size_t board = 0; board < stops.size(); ++board)
    if (cursor.starts_with(board_prefix(stops[board].front()))) return {board, 0};
  return {0, 0};
}

double middle_of(const Board& board, const std::string& id) {
  for (const Tile& tile : board.tiles)
    if (tile.id == id && !id.empty()) return (tile.from + tile.to) / 2 / board.units;
  return 0;
}

// The stop of `board` that lies nearest below or above a place of another board.
std::size_t nearest_stop(const Board& board, const std::vector<std::string>& stops, double middle) {
  std::size_t best = 0;
  double distance_best = 2;
  for (std::size_t i = 0; i < stops.size(); ++i) {
    double away = std::abs(middle_of(board, stops[i]) - middle);
    if (away + 1e-9 < distance_best) best = i, distance_best = away;
  }
  return best;
}

void move_node(UiState& state, const World& world, Action action) {
  Screen& screen = state.top();
  const Cluster* cluster = world.model.find(screen.cluster);
  const Node* node = cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
  if (!node) return;
  Rect body = body_of(state, world);
  NodePage page = node_page(world, *cluster, *node, body.width, body.height);
  auto stops = stops_of(page.boards);
  if (stops.empty()) return;
  auto [board, stop] = place_of(stops, screen.cursor);
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

void move_table(UiState& state, const World& world, Action action) {
  Screen& screen = state.top();
  if (action == Action::cursor_left || action == Action::cursor_right) {
    TableLook look = look_of(world, state, screen, -1);
    TableLayout layout = lay_out(column_infos(screen.kind), look, state.size.columns);
    if (action == Action::cursor_left) {
      screen.left = std::max(0, screen.left - 1);
    } else if (screen.left == 0 || layout.hidden_right > 0) {
      ++screen.left;
    }
    return;
  }
  int count = static_cast<int>(screen.derived.rows.size());
  if (count == 0) return;
  put_cursor(screen, world,
             moved(cursor_row(world.model, screen), distance(action, table_height(state, world)), count));
}

}  // namespace

int table_height(const UiState& state, const World& world) {
  return std::max(1, body_of(state, world).height - 1);
}

void put_cursor(Screen& screen, const World& world, int row) {
  if (row < 0 || row >= static_cast<int>(screen.derived.rows.size())) return;
  screen.cursor = id_at(world.model, screen.kind, screen.derived.rows[static_cast<std::size_t>(row)]);
  screen.cursor_at = row;
}

void move_cursor(UiState& state, const World& world, Action action) {
  ScreenKind kind = state.top().kind;
  if (is_table(kind)) return move_table(state, world, action);
  if (kind == ScreenKind::overview) return move_overview(state, world, action);
  if (kind == ScreenKind::node) return move_node(state, world, action);
  if (is_paned(kind)) {
    Rect body = body_of(state, world);
    return move_panes(state, world, action, body, distance(action, body.height));
  }
  if (kind == ScreenKind::layout) return move_in_layout(state, world, action);
  const bool turns = action == Action::next_panel || action == Action::previous_panel;
  if (kind == ScreenKind::guide && turns)
    return next_guide_group(state, action == Action::next_panel ? 1 : -1);
  move_document(state, world, action);
}

void settle(UiState& state, const World& world) {
  Screen& screen = state.top();
  Rect body = body_of(state, world);
  if (is_table(screen.kind)) {
    int row = cursor_row(world.model, screen), count = static_cast<int>(screen.derived.rows.size());
    if (row < 0) {
      screen.top = 0;
      return;
    }
    put_cursor(screen, world, row);
    keep_in_view(screen, row, row + 1, table_height(state, world), count);
  } else if (screen.kind == ScreenKind::overview) {
    Stops stops = overview_stops(state, body.width);
    if (stops.ids.empty()) return;
    int at = stop_at(stops, screen);
    rest_on(screen, stops, at);
    int line = stops.lines[static_cast<std::size_t>(at)];
    int first = at == 0 ? 0 : line;  // the heading belongs to the first row
    int total = static_cast<int>(overview_lines(state, body.width).size());
    keep_in_view(screen, first, line + 1, overview_scroll_height(body.height), total);
  } else if (screen.kind == ScreenKind::node) {
    const Cluster* cluster = world.model.find(screen.cluster);
    const Node* node = cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
    if (!node) return;
    NodePage page = node_page(world, *cluster, *node, body.width, body.height);
    auto stops = stops_of(page.boards);
    if (stops.empty()) return;
    auto [board, stop] = place_of(stops, screen.cursor);
    screen.cursor = stops[board][stop];
    auto [first, last] = lines_of(page, screen.cursor);
    keep_in_view(screen, first, last, body.height - page.head - (page.ruler ? 1 : 0), page.total);
  } else if (is_paned(screen.kind)) {
    settle_panes(state, world, body);
  } else if (screen.kind == ScreenKind::workload || screen.kind == ScreenKind::guide) {
    Rect page = page_of(state, world);
    Document document = document_of(world, state, page.width);
    Stops stops = document_stops(document);
    if (stops.ids.empty()) return;
    int at = stop_at(stops, screen);
    rest_on(screen, stops, at);
    if (screen.kind != ScreenKind::guide) return;
    // A stop of the guide comes with the lines below it: its details, or the text to hand out.
    int line = stops.lines[static_cast<std::size_t>(at)], total = static_cast<int>(document.size());
    int end =
        at + 1 < static_cast<int>(stops.lines.size()) ? stops.lines[static_cast<std::size_t>(at) + 1] : total;
    keep_in_view(screen, line, std::min(end, line + page.height), page.height, total);
  }
}

namespace {

bool rest_on_line(Screen& screen, const Stops& stops, int line) {
  for (std::size_t i = 0; i < stops.lines.size(); ++i)
    if (stops.lines[i] == line) return rest_on(screen, stops, static_cast<int>(i)), true;
  return false;
}

bool click_node(UiState& state, const World& world, Rect body, int x, int y) {
  Screen& screen = state.top();
  const Cluster* cluster = world.model.find(screen.cluster);
  const Node* node = cluster ? cluster->nodes.find(NodeName(screen.subject)) : nullptr;
  if (!node) return false;
  const std::string stop =
      stop_at_point(node_page(world, *cluster, *node, body.width, body.height), body, screen.top, x, y);
  if (!stop.empty()) screen.cursor = stop;
  return !stop.empty();
}

// Sorts by the column under the mouse; once more turns the order.
void click_heading(UiState& state, const World& world, int x) {
  const Screen& screen = state.top();
  if (screen.derived.rows.empty()) return;
  const TableLook look = look_of(world, state, screen, -1);
  for (const PlacedColumn& placed : lay_out(column_infos(screen.kind), look, state.size.columns).columns)
    if (x >= placed.x && x < placed.x + placed.width) return sort_by(state, placed.column);
}

}  // namespace

bool click(UiState& state, const World& world, int x, int y) {
  Screen& screen = state.top();
  Rect body = body_of(state, world);
  int line = y - body.y;
  if (x < 0 || line < 0 || line >= body.height) return false;
  if (is_table(screen.kind)) {
    const int row = screen.top + line - 1;  // the first line is the heading
    if (line == 0) return click_heading(state, world, x - body.x), false;
    if (row >= static_cast<int>(screen.derived.rows.size())) return false;
    put_cursor(screen, world, row);
    return true;
  }
  if (screen.kind == ScreenKind::overview) {
    if (line >= overview_scroll_height(body.height)) return false;
    return rest_on_line(screen, overview_stops(state, body.width), screen.top + line);
  }
  if (screen.kind == ScreenKind::node) return click_node(state, world, body, x, y);
  if (is_paned(screen.kind)) return click_panes(state, world, body, x, y);
  if (screen.kind == ScreenKind::layout) return click_layout(state, world, body, x, y);
  if (!is_document(screen.kind)) return false;
  Rect page = page_of(state, world);
  if (x < page.x || y < page.y) return false;
  return rest_on_line(screen, document_stops(document_of(world, state, page.width)), screen.top + y - page.y);
}

bool open_at(UiState& state, const World& world, int x, int y) {
  if (state.top().kind != ScreenKind::overview) return false;
  auto place = mosaic_node_at(world, state, body_of(state, world), x, y);
  if (place) open_node(state, place->first, place->second.text);
  return place.has_value();
}

}  // namespace tessera::tui
