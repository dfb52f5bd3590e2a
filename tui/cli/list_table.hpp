// A list of nodes, GPUs, slices or workloads for a terminal.
// Threads: pure functions.
#pragma once

#include <string>

#include "tui/cli/table_text.hpp"
#include "tui/state.hpp"

namespace tessera::cli {

// The console's list of the same things: its kind and its filter, and whether it has machines of two
// schedulers.
struct ConsoleList {
  tui::Screen screen;
  bool nodes_of_two = false;
};

// As to_table(), where those columns stay that stay in that list.
std::string to_list_table(const Grid& grid, bool headers, const Paper& paper, const ConsoleList& list);

}  // namespace tessera::cli
