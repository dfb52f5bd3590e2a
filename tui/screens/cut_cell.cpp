#include "tui/screens/cut_cell.hpp"

#include <string>
#include <utility>

#include "tui/screens/control.hpp"
#include "tui/screens/preview.hpp"
#include "tui/screens/rows.hpp"
#include "tui/screens/screens.hpp"
#include "tui/widgets/cells_of.hpp"

namespace tessera::tui {
namespace {

constexpr int kLeast = 30;  // cells below which the text would be cut once more

struct CutCell {
  std::string title;  // of the column
  std::string text;
};

CutCell cut_cell(const UiContext& ui, const UiState& state) {
  const Screen& screen = state.top();
  if (!row_of(screen.kind).table || list_width(state) < state.size.columns) return {};
  const int row = cursor_row(ui.model, screen);
  if (row < 0) return {};
  const RowRef& ref = screen.derived.rows[static_cast<std::size_t>(row)];
  const std::span<const ColumnInfo> columns = column_infos(screen.kind);
  const TableLayout layout = lay_out(columns, look_of(ui, state, screen, row), list_width(state));
  const auto text_of = [&](int column) { return text_in_cell(ui, state, screen, ref, column); };
  for (std::size_t place = layout.columns.size(); place-- > 0;) {
    const ColumnInfo& column = columns[static_cast<std::size_t>(layout.columns[place].column)];
    const bool drawn = column.key == "strip" || column.key == "boards" || column.key == "trend";
    if (column.format != query::Format::text || drawn) continue;
    std::string text = text_of(layout.columns[place].column);
    if (display_width(text) > cells_of(columns, layout, place, text, text_of))
      return {std::string(column.title), std::move(text)};
  }
  return {};
}

// The longest piece of the rule in that row: where it begins, and how long it is.
std::pair<int, int> free_rule(const Canvas& canvas, int y, bool ascii) {
  const std::string_view rule = glyphs(ascii).rule;
  std::pair<int, int> longest{0, 0};
  for (int x = 0, from = 0; x < canvas.size().columns; ++x) {
    if (canvas.at(x, y).glyph != rule) {
      from = x + 1;
      continue;
    }
    if (x + 1 - from > longest.second) longest = {from, x + 1 - from};
  }
  return longest;
}

}  // namespace

void draw_cut_cell(Canvas& canvas, int y, const UiContext& ui, const UiState& state) {
  if (!state.message.text.empty()) return;
  const auto [from, cells] = free_rule(canvas, y, state.ascii);
  if (cells < kLeast + 2) return;
  const CutCell cut = cut_cell(ui, state);
  if (cut.text.empty()) return;
  Pen pen(canvas, from + 1, y, from + cells - 1, state.ascii);
  pen.put(" " + cut.title + "  ", Role::dim).put(cut.text + " ", Role::text);
}

}  // namespace tessera::tui
