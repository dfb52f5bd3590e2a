// Rows of text as an aligned table or as CSV.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/query/tables.hpp"

namespace tessera::cli {

struct Grid {
  struct Head {
    std::string key;    // "memory_used": the csv header
    std::string title;  // "MEM USED"
    query::Align align = query::Align::left;
  };
  std::vector<Head> heads;
  std::vector<std::vector<std::string>> rows;  // as long as heads
};

// Columns as wide as their widest cell, two blanks between them, no blanks at line ends.
std::string to_table(const Grid& grid, bool headers);
// RFC 4180, with LF line ends; keys as header.
std::string to_csv(const Grid& grid, bool headers);

// A cell as a script wants it: numbers bare, times ISO 8601 in UTC, unknown empty.
std::string raw_text(const query::Value& value, query::Format format);

// For terminals and files that know only ASCII: bars become |, blocks #, what has no likeness '?'.
std::string in_ascii(std::string_view text);

// "2026-11-21T14:03:22Z"
std::string iso_time(TimePoint at);

}  // namespace tessera::cli
