// Filter, search, sort, marks and the lists of choices.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "tui/screens/control.hpp"
#include "tui/screens/frame/frame.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/rows.hpp"

namespace tessera::tui {
namespace {

int column_count(const Screen& screen) { return static_cast<int>(column_infos(screen.kind).size()); }

}  // namespace

std::optional<Error> set_filter(Screen& screen, const std::string& text) {
  Result<query::Filter> filter = parse_screen_filter(screen.kind, text);
  if (!filter) return filter.error();
  screen.filter = std::move(filter).value();
  screen.filter_text = text;
  // The cursor stays on its row where that passes; else it goes to the first one that does.
  if (!text.empty()) screen.searched = text, screen.cursor_at = 0;
  screen.top = 0;
  return std::nullopt;
}

void clear_filter(UiState& state) {
  Screen& screen = state.top();
  const bool nothing_passed = screen.derived.valid && screen.derived.rows.empty();
  set_filter(screen, "");
  if (!nothing_passed || !screen.before_filter) return;
  screen.cursor = screen.before_filter->cursor;
  screen.cursor_at = screen.before_filter->cursor_at;
  screen.top = screen.before_filter->top;
}

void find_again(UiState& state, const UiContext& ui, int step) {
  Screen& screen = state.top();
  Result<query::Filter> filter = parse_screen_filter(screen.kind, screen.searched);
  if (!filter) return;
  int row = find_row(ui, screen, *filter, cursor_row(ui.model, screen), step);
  if (row >= 0)
    put_cursor(screen, ui, row);
  else
    say(state, ui, Severity::info, "no row has " + screen.searched);
}

std::vector<int> shown_columns(const UiState& state, const UiContext& ui, const Screen& screen) {
  if (screen.columns) return *screen.columns;
  TableLook look = look_of(ui, state, screen, -1);
  look.left = 0;
  std::vector<int> shown;
  for (const PlacedColumn& placed : lay_out(column_infos(screen.kind), look, list_width(state)).columns)
    shown.push_back(placed.column);
  return shown;
}

void sort_by(UiState& state, int column) {
  Screen& screen = state.top();
  if (column < 0 || column >= column_count(screen)) return;
  bool again = !screen.sorts.empty() && screen.sorts.front().column == column;
  // Figures are looked at from the largest, names from the first.
  query::Format format = column_infos(screen.kind)[static_cast<std::size_t>(column)].format;
  bool descending = again ? !screen.sorts.front().descending : format != query::Format::text;
  screen.sorts = {{column, descending}};
  state.last_sorts[screen.kind] = screen.sorts;
}

// Along the columns that are in view: an arrow on a hidden one would be no answer.
void sort_step(UiState& state, const UiContext& ui, int step) {
  Screen& screen = state.top();
  const std::vector<int> shown = shown_columns(state, ui, screen);
  if (shown.empty()) return;
  const int count = static_cast<int>(shown.size());
  int at = step > 0 ? -1 : 0;
  if (!screen.sorts.empty()) {
    auto found = std::find(shown.begin(), shown.end(), screen.sorts.front().column);
    if (found != shown.end()) at = static_cast<int>(found - shown.begin());
  }
  screen.sorts.clear();
  sort_by(state, shown[static_cast<std::size_t>(((at + step) % count + count) % count)]);
}

void toggle_mark(UiState& state, const UiContext& ui) {
  Screen& screen = state.top();
  int row = cursor_row(ui.model, screen);
  if (row < 0) return;
  std::string id = id_at(ui.model, screen.kind, screen.derived.rows[static_cast<std::size_t>(row)]);
  if (!screen.marks.erase(id)) screen.marks.insert(id);
  put_cursor(screen, ui, row + 1);
}

namespace {
void mark_rows(UiState& state, const UiContext& ui, int from, int to) {
  Screen& screen = state.top();
  const int last = static_cast<int>(screen.derived.rows.size()) - 1;
  for (int row = std::max(0, from); row <= std::min(to, last); ++row)
    screen.marks.insert(id_at(ui.model, screen.kind, screen.derived.rows[static_cast<std::size_t>(row)]));
}
}  // namespace

void range_step(UiState& state, const UiContext& ui) {
  Screen& screen = state.top();
  const int row = cursor_row(ui.model, screen);
  if (row < 0) return;
  std::optional<int> from;
  if (!screen.range_from.empty()) from = row_of_id(ui.model, screen, screen.range_from, row);
  if (!from) {
    screen.range_from = id_at(ui.model, screen.kind, screen.derived.rows[static_cast<std::size_t>(row)]);
    return say(
        state, ui, Severity::info,
        fmt::format("a range begins here: move, then {} marks it", first_key(state, Action::mark_range)));
  }
  mark_rows(state, ui, std::min(*from, row), std::max(*from, row));
  screen.range_from.clear();
}

std::optional<Error> mark_some(UiState& state, const UiContext& ui, const std::string& text) {
  if (std::string why = why_disabled(Action::mark, state, ui); !why.empty()) return Error{why, "", ""};
  int count = 0;
  const char* end = text.data() + text.size();
  if (auto read = std::from_chars(text.data(), end, count);
      read.ec != std::errc{} || read.ptr != end || count < 1)
    return Error{fmt::format("{} is not a number of rows", text), "", "mark 20"};
  const int row = cursor_row(ui.model, state.top());
  mark_rows(state, ui, row, row + count - 1);
  put_cursor(state.top(), ui, row + count);
  return std::nullopt;
}

void mark_all(UiState& state, const UiContext& ui) {
  Screen& screen = state.top();
  for (const RowRef& ref : screen.derived.rows) screen.marks.insert(id_at(ui.model, screen.kind, ref));
}

void open_choice(UiState& state, ChoiceKind kind) {
  state.choice = {kind, 0};
  const Screen& screen = state.top();
  if (kind == ChoiceKind::sort && !screen.sorts.empty()) state.choice.cursor = screen.sorts.front().column;
}

void choose(UiState& state, const UiContext& ui, Action action) {
  Screen& screen = state.top();
  int count = column_count(screen);
  int& cursor = state.choice.cursor;
  switch (action) {
    case Action::cursor_up: cursor = std::max(0, cursor - 1); return;
    case Action::cursor_down: cursor = std::min(count - 1, cursor + 1); return;
    case Action::go_first: cursor = 0; return;
    case Action::go_last: cursor = count - 1; return;
    case Action::open:
      if (state.choice.kind == ChoiceKind::sort) sort_by(state, cursor);
      state.choice = {};
      return;
    case Action::choice_toggle: break;
    default: return;
  }
  if (state.choice.kind == ChoiceKind::sort) return sort_by(state, cursor);
  std::vector<int> shown = shown_columns(state, ui, screen);
  if (std::erase(shown, cursor) == 0) shown.push_back(cursor);
  std::sort(shown.begin(), shown.end());
  if (shown.empty()) return say(state, ui, Severity::info, "one column has to stay");
  screen.columns = shown;
  screen.left = 0;
  state.last_columns[screen.kind] = shown;
}

}  // namespace tessera::tui
