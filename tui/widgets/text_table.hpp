// A small table of sentences: columns share the width, cells wrap, the first column names the rows.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

namespace tessera::tui {

struct TextTable {
  struct Line {
    std::vector<std::string> cells;  // one a column, empty where a cell has ended; none: a gap between rows
    bool head = false;
  };
  std::vector<int> starts;  // columns of the terminal in which the cells begin
  std::vector<Line> lines;
};

// rows: as long as columns. width: at least 40 is useful.
TextTable lay_text_table(const std::vector<std::string>& columns,
                         const std::vector<std::vector<std::string>>& rows, int width);

}  // namespace tessera::tui
