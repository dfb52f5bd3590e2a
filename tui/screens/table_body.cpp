// Tables: how they are drawn and walked through, and what Enter, `i` and `y` do on a row.
#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "tui/screens/body.hpp"
#include "tui/screens/control.hpp"
#include "tui/screens/empty.hpp"
#include "tui/screens/overview/overview_demand.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kHuge = 20000;  // rows from which sorting on every event would be felt
constexpr Duration kHugeEvery{1000};
constexpr std::size_t kRowsPerMs = 40;  // the work on huge lists takes about a twentieth of the time

// How long a list is left as it is: longer, the longer the work on it takes.
Duration pause_for(std::size_t total) {
  return std::max(kHugeEvery, Duration(static_cast<Duration::rep>(total / kRowsPerMs)));
}

bool rows_stale(const DerivedRows& derived, const std::string& key, const UiContext& ui) {
  if (!derived.valid || derived.key != key) return true;
  if (derived.revision == ui.model.revision) return false;
  return derived.total < kHuge || ui.wall - derived.at >= pause_for(derived.total);
}

// The row under the cursor of a table; nullopt on an empty one.
std::optional<RowRef> ref_under(const Screen& screen, const Model& model) {
  const int row = cursor_row(model, screen);
  if (row < 0) return std::nullopt;
  return screen.derived.rows[static_cast<std::size_t>(row)];
}

// The head and the rows below it.
Rect rows_of(const UiState& state, Rect body) {
  const int head = std::min(static_cast<int>(head_of(state, list_width(state)).size()), body.height - 2);
  body.y += std::max(0, head);
  body.height -= std::max(0, head);
  return body;
}

void draw_head(Canvas& canvas, Rect body, const UiState& state) {
  const std::vector<std::string> lines = head_of(state, list_width(state));
  for (int y = body.y; y < rows_of(state, body).y; ++y)
    canvas.put(1, y, lines[static_cast<std::size_t>(y - body.y)], Style(Role::text).with_bold());
}

// A sign before each row that would be marked if the range that has begun ended at the cursor.
void draw_range(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state, const TableLook& look) {
  const Screen& screen = state.top();
  if (screen.range_from.empty() || look.cursor < 0) return;
  const auto id_of = [&](int row) {
    return id_at(ui.model, screen.kind, screen.derived.rows[static_cast<std::size_t>(row)]);
  };
  const std::optional<int> from = row_of_id(ui.model, screen, screen.range_from, look.cursor);
  if (!from) return;
  for (int line = 1; line < body.height; ++line) {
    const int row = look.top + line - 1;
    if (row < std::min(*from, look.cursor) || row > std::max(*from, look.cursor)) continue;
    if (row != look.cursor && !screen.marks.contains(id_of(row)))
      canvas.put(body.x, body.y + line, state.ascii ? "o" : "◦", Role::accent);
  }
}

std::string draw_table_body(Canvas& canvas, Rect body, const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  if (screen.derived.rows.empty()) {
    draw_empty_table(canvas, body, ui, state);
    return {};
  }
  draw_preview(canvas, body, ui, state);
  draw_head(canvas, body, state);
  body = rows_of(state, body);
  body.width = list_width(state);
  int count = static_cast<int>(screen.derived.rows.size()), height = body.height - 1;
  TableLook look = look_of(ui, state, screen, cursor_row(ui.model, screen));
  look.top = std::clamp(look.top, 0, std::max(0, count - height));
  TableLayout layout = draw_table(canvas, body, ScreenRows(ui, state, screen), look);
  draw_range(canvas, body, ui, state, look);
  std::string where = range_text("rows", look.top, height, count);
  if (static_cast<std::size_t>(count) < screen.derived.total)
    where += fmt::format(", {} in all", screen.derived.total);
  if (layout.hidden_left + layout.hidden_right > 0)
    where = fmt::format("columns {} of {}, ", layout.columns.size(), layout.candidates) + where;
  return where;
}

void move_table(UiState& state, const UiContext& ui, Rect body, Action action) {
  Screen& screen = state.top();
  if (action == Action::cursor_left || action == Action::cursor_right) {
    TableLook look = look_of(ui, state, screen, -1);
    TableLayout layout = lay_out(column_infos(screen.kind), look, list_width(state));
    if (action == Action::cursor_left) {
      screen.left = std::max(0, screen.left - 1);
    } else if (screen.left == 0 || layout.hidden_right > 0) {
      ++screen.left;
    }
    return;
  }
  int count = static_cast<int>(screen.derived.rows.size());
  if (count == 0) return;
  const int page = std::max(1, rows_of(state, body).height - 1);
  put_cursor(screen, ui, moved(cursor_row(ui.model, screen), distance(action, page), count));
}

void settle_table(UiState& state, const UiContext& ui, Rect body) {
  Screen& screen = state.top();
  int row = cursor_row(ui.model, screen), count = static_cast<int>(screen.derived.rows.size());
  if (row < 0) {
    screen.top = 0;
    return;
  }
  put_cursor(screen, ui, row);
  keep_in_view(screen, row, row + 1, std::max(1, rows_of(state, body).height - 1), count);
}

// Sorts by the column under the mouse; once more turns the order.
void click_heading(UiState& state, const UiContext& ui, int x) {
  const Screen& screen = state.top();
  if (screen.derived.rows.empty()) return;
  const TableLook look = look_of(ui, state, screen, -1);
  for (const PlacedColumn& placed : lay_out(column_infos(screen.kind), look, list_width(state)).columns)
    if (x >= placed.x && x < placed.x + placed.width) return sort_by(state, placed.column);
}

bool click_table(UiState& state, const UiContext& ui, Rect body, int x, int y) {
  Screen& screen = state.top();
  body = rows_of(state, body);
  if (x - body.x >= list_width(state) || y < body.y) return false;
  if (y == body.y) {
    click_heading(state, ui, x - body.x);
    return false;
  }
  const int row = screen.top + y - body.y - 1;  // the first line is the heading
  if (row >= static_cast<int>(screen.derived.rows.size())) return false;
  put_cursor(screen, ui, row);
  return true;
}

}  // namespace

const Body kTableBody{draw_table_body, move_table, settle_table, click_table};

void put_cursor(Screen& screen, const UiContext& ui, int row) {
  if (row < 0 || row >= static_cast<int>(screen.derived.rows.size())) return;
  screen.cursor = id_at(ui.model, screen.kind, screen.derived.rows[static_cast<std::size_t>(row)]);
  screen.cursor_at = row;
}

void refresh_table(UiState& state, Screen& screen, const UiContext& ui) {
  if (is_waiting_list(screen)) refresh_demand(state, ui);
  const std::string key = derive_key(state, screen);
  // The list below the top one is kept fresh too: `[` and `]` walk along it. A huge one waits until it is
  // seen.
  const bool below = &screen != &state.top();
  if (below && screen.derived.valid && screen.derived.key == key && screen.derived.total >= kHuge) return;
  if (rows_stale(screen.derived, key, ui)) screen.derived = derive(ui, state, screen);
}

std::optional<TimePoint> table_next_change(const UiState& state, const UiContext& ui) {
  const DerivedRows& derived = state.top().derived;
  if (derived.revision == ui.model.revision) return std::nullopt;
  return derived.at + pause_for(derived.total);
}

CellTexts table_cells(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  CellTexts now;
  int height = std::max(1, rows_of(state, body_of(state, ui)).height - 1);
  int count = static_cast<int>(screen.derived.rows.size());
  std::span<const ColumnInfo> columns = column_infos(screen.kind);
  for (int row = screen.top; row < std::min(count, screen.top + height); ++row) {
    const RowRef& ref = screen.derived.rows[static_cast<std::size_t>(row)];
    std::string id = id_at(ui.model, screen.kind, ref);
    for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
      // Ages, readings and how they went always change; marking them would be noise.
      if (columns[static_cast<std::size_t>(column)].key == "trend") continue;
      query::Format format = columns[static_cast<std::size_t>(column)].format;
      if (format != query::Format::text && format != query::Format::count) continue;
      now.emplace(std::pair(id, column), cell_text(ui, screen.kind, ref, column, state.ascii));
    }
  }
  return now;
}

Effects open_row(UiState& state, const UiContext& ui) {
  if (std::optional<Screen> page = page_of_row(state, ui)) push(state, std::move(*page));
  return {};
}

std::string why_no_row(const UiState& state, const UiContext&) {
  return state.top().derived.rows.empty() ? "there is no row to open" : "";
}

std::optional<Screen> facts_of_row(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  std::optional<RowRef> ref = ref_under(screen, ui.model);
  if (!ref || ref->cluster >= ui.model.clusters.size()) return std::nullopt;
  Screen facts;
  facts.about = row_of(screen.kind).table->opens;
  facts.cluster = ui.model.clusters[ref->cluster].name;
  facts.subject = id_at(ui.model, screen.kind, *ref);
  return facts;
}

std::string why_no_row_facts(const UiState& state, const UiContext&) {
  return state.top().derived.rows.empty() ? "there is no row to ask about" : "";
}

std::string copy_rows(const UiState& state, const UiContext& ui) {
  const Screen& screen = state.top();
  if (screen.marks.empty()) {
    std::optional<RowRef> ref = ref_under(screen, ui.model);
    return ref ? name_at(ui.model, screen.kind, *ref) : std::string();
  }
  std::string text;
  for (const RowRef& ref : screen.derived.rows)
    if (screen.marks.contains(id_at(ui.model, screen.kind, ref)))
      text += (text.empty() ? "" : "\n") + name_at(ui.model, screen.kind, ref);
  return text;
}

}  // namespace tessera::tui
