// A kind of table: what the four big lists differ in. The only place that knows which row type a table has;
// everything else handles RowRef.
// Threads: constant data and pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/update.hpp"
#include "tui/widgets/table.hpp"

namespace tessera::tui {

struct TableKind {
  std::span<const ColumnInfo> (*columns)();
  // The row's stable id (query::row_id), what `y` copies of it, and the node or workload that Enter opens;
  // empty when the row is gone.
  std::string (*id)(const Model& model, const RowRef& ref);
  std::string (*name)(const Model& model, const RowRef& ref);
  std::string (*subject)(const Model& model, const RowRef& ref);
  std::string (*cell)(const UiContext& ui, const RowRef& ref, int column, bool ascii);
  // The page that Enter opens, and the tile there on which the cursor begins.
  ScreenKind opens;
  std::string (*tile)(const Model& model, const RowRef& ref);

  DerivedRows (*derive)(const UiContext& ui, const UiState& state, const Screen& screen);
  int (*find)(const UiContext& ui, const Screen& screen, const query::Filter& filter, int from, int step);
  Result<query::Filter> (*filter)(std::string_view text);
  Result<query::Sort> (*sort)(std::string_view text);
  // Columns that a narrow table can do without, so that why a node is closed or a job waits stays in view.
  std::vector<std::string_view> (*demoted)(const Screen& screen);

  // Columns that go, in this order, where how use went has no room beside them.
  std::vector<std::string_view> (*yielding)(const Screen& screen);

  std::string_view things;   // "GPUs"
  std::string_view none;     // why there may be none
  bool grows_while_loading;  // the first rows can be looked at long before the last
};

extern const TableKind kNodeTable, kGpuTable, kSliceTable, kWorkloadTable;

}  // namespace tessera::tui
