// A list of nodes, GPUs, slices or workloads for a terminal.
// Threads: pure functions.
#pragma once

#include <string>

#include "tui/cli/table_text.hpp"
#include "tui/state.hpp"

namespace tessera::cli {

// As to_table(), where those columns stay that stay in the console's list of the same things. list: its kind
// and its filter.
std::string to_list_table(const Grid& grid, bool headers, const Paper& paper, const tui::Screen& list);

}  // namespace tessera::cli
