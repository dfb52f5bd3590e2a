// Filter and sort of the table screens, kept as positions so that nothing dangles when the model moves on.
#include <algorithm>
#include <cstdlib>
#include <optional>

#include "tui/screens/column_ranks.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/screens/waiting.hpp"

namespace tessera::tui {
namespace {

// Nothing stands there, and nothing will: the source does not have it.
bool tells(const std::string& cell) { return !cell.empty() && cell != "n/a"; }

// A column in which no row tells anything wants no room, unless it always stands there. One of least use in
// which all rows tell the same is told by a negative width: it is the first to go, and is as wide where all
// columns are shown (look_of).
std::vector<int> wanted_widths(const UiContext& ui, ScreenKind kind, const std::vector<RowRef>& rows,
                               bool ascii) {
  const std::span<const ColumnInfo> columns = column_infos(kind);
  std::vector<int> widths(columns.size(), 0);
  std::vector<bool> told(columns.size(), false), differ(columns.size(), false);
  std::vector<std::string> first(columns.size());
  std::size_t step = std::max<std::size_t>(1, rows.size() / kSampledRows);
  for (std::size_t row = 0; row < rows.size(); row += step)
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const std::string cell = cell_text(ui, kind, rows[row], static_cast<int>(column), ascii);
      widths[column] = std::max(widths[column], display_width(cell));
      told[column] = told[column] || tells(cell);
      if (row == 0)
        first[column] = cell;
      else
        differ[column] = differ[column] || cell != first[column];
    }
  for (std::size_t column = 0; column < widths.size(); ++column) {
    const query::Show show = columns[column].show;
    if (!told[column] && show != query::Show::always)
      widths[column] = 0;
    else if (rows.size() > 1 && !differ[column] && show == query::Show::wide)
      widths[column] = -widths[column];
  }
  return widths;
}

// A pod's id ends with its name: where all rows are such, a column of names says nothing more.
bool named_by_ids(const UiContext& ui, const std::vector<RowRef>& rows) {
  return std::all_of(rows.begin(), rows.end(), [&](const RowRef& ref) {
    const auto row = workload_at(ui.model, ref);
    return row && repeats_id(row->workload->id.text, row->workload->name);
  });
}

int longest_plain_reason(const UiContext& ui, const UiState& state, const std::vector<RowRef>& rows) {
  int longest = 0;
  const std::size_t step = std::max<std::size_t>(1, rows.size() / kSampledRows);
  for (std::size_t i = 0; i < rows.size(); i += step)
    if (const auto row = workload_at(ui.model, rows[i]))
      longest = std::max(longest, display_width(plain_reason(state, *row)));
  return longest;
}

}  // namespace

bool repeats_id(std::string_view id, std::string_view name) {
  return name.size() < id.size() && id.ends_with(name) && id[id.size() - name.size() - 1] == '/';
}

std::string derive_key(const UiState& state, const Screen& screen) {
  std::string key(word(screen.kind));
  key += '\n' + screen.cluster.text + '\n' + screen.filter_text + '\n';
  for (const query::Sort& sort : screen.sorts)
    key += std::to_string(sort.column) + (sort.descending ? "-" : "+");
  if (screen.only_mine) key += '\n' + state.me;
  return key;
}

DerivedRows derive(const UiContext& ui, const UiState& state, const Screen& screen) {
  DerivedRows derived;
  const TableKind* table = row_of(screen.kind).table;
  if (!table) return derived;
  derived = table->derive(ui, state, screen);
  if (is_waiting_list(screen)) {
    WaitingHead head = waiting_head(state, ui, screen);
    derived.head = std::move(head.sentence), derived.head_unsure = std::move(head.unsure);
    derived.head_then = std::move(head.then);
    if (!derived.head.empty()) derived.head_left_out = waiting_left_out(ui, screen);
    derived.plain_reason = longest_plain_reason(ui, state, derived.rows);
  }
  derived.valid = true;
  derived.revision = ui.model.revision;
  derived.at = ui.wall;
  derived.key = derive_key(state, screen);
  derived.widths = wanted_widths(ui, screen.kind, derived.rows, state.ascii);
  if (screen.kind == ScreenKind::workloads && named_by_ids(ui, derived.rows))
    if (const auto name = column_index(screen.kind, "name"))
      if (int& width = derived.widths[static_cast<std::size_t>(*name)]; width > 0) width = -width;
  return derived;
}

std::optional<int> row_of_id(const Model& model, const Screen& screen, const std::string& id, int near) {
  const std::vector<RowRef>& rows = screen.derived.rows;
  const int count = static_cast<int>(rows.size());
  const auto is_it = [&](int row) {
    return row >= 0 && row < count && id_at(model, screen.kind, rows[static_cast<std::size_t>(row)]) == id;
  };
  for (int away = 0; away < count; ++away) {
    if (is_it(near - away)) return near - away;
    if (is_it(near + away)) return near + away;
  }
  return std::nullopt;
}

int cursor_row(const Model& model, const Screen& screen) {
  const int count = static_cast<int>(screen.derived.rows.size());
  if (count == 0) return -1;
  const int near = std::clamp(screen.cursor_at, 0, count - 1);
  // Rows mostly move a little: look around the last place first.
  return screen.cursor.empty() ? near : row_of_id(model, screen, screen.cursor, near).value_or(near);
}

int find_row(const UiContext& ui, const Screen& screen, const query::Filter& filter, int from, int step) {
  const TableKind* table = row_of(screen.kind).table;
  if (!table || screen.derived.rows.empty()) return -1;
  return table->find(ui, screen, filter, from, step);
}

Result<query::Filter> parse_screen_filter(ScreenKind kind, std::string_view text) {
  const TableKind* table = row_of(kind).table;
  return table ? table->filter(text) : query::Filter{};
}

Result<query::Sort> parse_screen_sort(ScreenKind kind, std::string_view text) {
  const TableKind* table = row_of(kind).table;
  if (!table) return Error{"nothing to sort here", "this screen is not a table", "open :nodes first"};
  return table->sort(text);
}

}  // namespace tessera::tui
