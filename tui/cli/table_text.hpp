// Rows of text as an aligned table or as CSV.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/query/tables.hpp"
#include "tui/cli/paper.hpp"

namespace tessera::cli {

struct Grid {
  struct Head {
    std::string key;    // "memory_used": the csv header
    std::string title;  // "MEM USED"
    query::Align align = query::Align::left;
    query::Show show = query::Show::always;  // which columns go first where a terminal is narrow
    int min_width = 0;
    bool read_for = false;  // what the table is read for: keeps its place where all rows say the same
  };
  std::vector<Head> heads;
  std::vector<std::vector<std::string>> rows;  // as long as heads
};

// Columns as wide as their widest cell, two blanks between them, no blanks at line ends. On a terminal that
// is narrower, columns are left out as in the console, and cells are cut; coloured as there. Rows that look
// alike are one line there, with how many they are.
std::string to_table(const Grid& grid, bool headers, const Paper& paper = {});
// Whether the table as it is goes onto that paper.
bool fits(const Grid& grid, bool headers, const Paper& paper);
// RFC 4180, with LF line ends; keys as header.
std::string to_csv(const Grid& grid, bool headers);

// A cell as a script wants it: numbers bare, times ISO 8601 in UTC, unknown empty; >=720 of at least so
// much.
std::string raw_text(const query::Value& value, query::Format format);

// For terminals and files that know only ASCII: bars become |, blocks #, what has no likeness '?'.
std::string in_ascii(std::string_view text);

}  // namespace tessera::cli
