// The four big tables: how a position in the model becomes a row, an id, a cell and a style.
//
// The only place that knows which row type belongs to which screen; everything else handles RowRef.
// Threads: pure functions of what they are given.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/table.hpp"

namespace tessera::tui {

// The columns of a table screen; empty for other screens.
// How many rows are looked at to learn how wide the columns would like to be; of more rows, some of them.
inline constexpr std::size_t kSampledRows = 96;

std::span<const ColumnInfo> column_infos(ScreenKind kind);
std::optional<int> column_index(ScreenKind kind, std::string_view key);

// The model's value at a position; nullopt when the model has moved on and nothing is there.
std::optional<query::NodeRow> node_at(const Model& model, const RowRef& ref);
std::optional<query::GpuRow> gpu_at(const Model& model, const RowRef& ref);
std::optional<query::SliceRow> slice_at(const Model& model, const RowRef& ref);
std::optional<query::WorkloadRow> workload_at(const Model& model, const RowRef& ref);

// The row's stable id (query::row_id); empty when it is gone.
std::string id_at(const Model& model, ScreenKind kind, const RowRef& ref);
// What `y` copies: the node's, GPU's or workload's own name.
std::string name_at(const Model& model, ScreenKind kind, const RowRef& ref);
query::Context context_of(const UiContext& ui);
std::string cell_text(const UiContext& ui, ScreenKind kind, const RowRef& ref, int column, bool ascii);

// Filters and sorts the rows of a table screen again.
DerivedRows derive(const UiContext& ui, const UiState& state, const Screen& screen);
// What the rows depend on beside the model.
std::string derive_key(const UiState& state, const Screen& screen);
// The row of that id, looked for around `near` first.
std::optional<int> row_of_id(const Model& model, const Screen& screen, const std::string& id, int near);
// Where the cursor's row is now: by id, else where it was.
int cursor_row(const Model& model, const Screen& screen);
// What stands in a cell of the list on top: cell_text(), but on the waiting list plain words for a code.
std::string text_in_cell(const UiContext& ui, const UiState& state, const Screen& screen, const RowRef& ref,
                         int column);
// The next row from `from` (stepping by `step`, around the end) that passes `filter`; -1: none does.
int find_row(const UiContext& ui, const Screen& screen, const query::Filter& filter, int from, int step);

Result<query::Filter> parse_screen_filter(ScreenKind kind, std::string_view text);
Result<query::Sort> parse_screen_sort(ScreenKind kind, std::string_view text);

// The rows of `screen` for the table widget.
class ScreenRows final : public TableRows {
 public:
  ScreenRows(const UiContext& ui, const UiState& state, const Screen& screen)
      : ui_(ui), state_(state), screen_(screen) {}
  std::span<const ColumnInfo> columns() const override { return column_infos(screen_.kind); }
  int count() const override { return static_cast<int>(screen_.derived.rows.size()); }
  std::string text(int row, int column) const override;
  Style style(int row, int column, const std::string& text) const override;
  bool marked(int row) const override;
  bool paint(Canvas& canvas, int x, int y, int width, int row, int column) const override;

 private:
  const RowRef& ref(int row) const { return screen_.derived.rows[static_cast<std::size_t>(row)]; }
  const UiContext& ui_;
  const UiState& state_;
  const Screen& screen_;
};

// How the table of `screen` is to look; `cursor` is the row under the cursor.
// Columns that an equality of the filter makes the same on every row.
std::vector<int> pinned_by(const query::Filter& filter);
TableLook look_of(const UiContext& ui, const UiState& state, const Screen& screen, int cursor);

}  // namespace tessera::tui
