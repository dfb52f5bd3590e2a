// How far a text of a table goes. Threads: a pure function.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tui/widgets/table.hpp"

namespace tessera::tui {

// The cells that a row's text has in the column that is placed there: of a text that is read from the left
// and cut, also those of the columns to its right in which this row says nothing, as in a sheet. FREE of a
// node that is open has the cells of the REASON that it lacks. A text that is whole then has the blanks
// before a figure.
int cells_of(std::span<const ColumnInfo> columns, const TableLayout& layout, std::size_t place,
             std::string_view text, const std::function<std::string(int column)>& text_of);

}  // namespace tessera::tui
