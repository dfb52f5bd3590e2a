// The table: which columns fit and how wide, the heading with the sort marker, and the rows in view.
//
// Knows nothing of nodes or jobs: rows come through TableRows, which is asked only for what is drawn.
// Threads: pure drawing; TableRows must outlive the call.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/query/filter.hpp"
#include "tui/widgets/paint.hpp"

namespace tessera::tui {

// A column without its row type.
struct ColumnInfo {
  std::string_view key;
  std::string_view title;
  query::Format format = query::Format::text;
  query::Align align = query::Align::left;
  query::Show show = query::Show::always;
  int min_width = 4;
  std::string_view help;
};

class TableRows {
 public:
  virtual ~TableRows() = default;
  virtual std::span<const ColumnInfo> columns() const = 0;
  virtual int count() const = 0;
  virtual std::string text(int row, int column) const = 0;
  virtual Style style(int row, int column, const std::string& text) const = 0;
  virtual bool marked(int row) const = 0;
  // Draws a cell that is more than one piece of text; false: text() and style() will do.
  virtual bool paint(Canvas&, int /*x*/, int /*y*/, int /*width*/, int /*row*/, int /*column*/) const {
    return false;
  }
};

struct PlacedColumn {
  int column = 0;
  int x = 0;
  int width = 0;
};
struct TableLayout {
  std::vector<PlacedColumn> columns;
  int hidden_left = 0;   // columns scrolled away
  int hidden_right = 0;  // columns that would follow and do not fit
  int candidates = 0;    // columns that can be reached by scrolling
};

inline constexpr int kEarlyFrom = 100;

struct TableLook {
  std::optional<std::vector<int>> chosen;  // nullopt: as many as fit, by Show
  std::vector<query::Sort> sorts;
  std::vector<int> wanted;  // cells that each column would like; may be empty
  bool wide = false;        // columns of every Show are candidates
  int skip = -1;            // a column that says the same on every row: left out unless chosen
  std::vector<int> empty;   // columns in which no row says anything: left out unless chosen, or all are shown
  std::vector<int> names;   // columns that tell rows apart: they stay when the table is scrolled sideways
  std::vector<int> whole;   // columns whose end must not be lost: they have spare cells before all texts
  std::vector<int> demoted;  // shown always elsewhere, here only where there is room
  std::vector<int> kept;     // shown elsewhere where there is room, here always from kEarlyFrom cells on
  // Shown beside what is always shown from kEarlyFrom cells on, even if columns of `yielding` go for them, in
  // that order.
  std::vector<int> early, yielding;
  std::vector<int> unasked;  // of `early`, those that do not wait until texts have what they want
  int left = 0;              // columns scrolled away; the first stays
  int top = 0;
  int cursor = -1;  // row; -1: none
  bool ascii = false;
};

// Where the columns go in `width` cells. Which columns are shown depends on the width, and on the data only
// in that empty ones leave their room to the others, so that a table keeps its shape while it is looked at.
TableLayout lay_out(std::span<const ColumnInfo> columns, const TableLook& look, int width);

// Draws heading and rows; returns the layout that it used. The first column of cells holds pointer and marks.
TableLayout draw_table(Canvas& canvas, Rect area, const TableRows& rows, const TableLook& look);

}  // namespace tessera::tui
