// Rows of a table that tell the same of several nodes or GPUs, as one row: for people at a terminal. Files,
// pipes, CSV and JSON keep a row for each.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/cli/table_text.hpp"

namespace tessera::cli {

// "n[01-20]" where that takes no more than `cells`; else how many they are: "n01 +19". Each name once.
std::string names_text(std::vector<std::string> names, int cells);

// Rows that differ in the column `names` alone are one row, where the first of them stood, with all their
// names; in the column `numbers` (of GPUs), too, where rows of one name differ in that alone. Where there is
// no room for all names each keeps its row: a list of nodes that names one of twenty is none. As it is where
// the paper is no terminal.
Grid folded(Grid grid, std::string_view names, const Paper& paper, std::string_view numbers = {});

}  // namespace tessera::cli
