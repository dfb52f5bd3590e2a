// A run folded from the lines of its journal, line by line, since a journal may be long.
// Threads: the UI thread.
#pragma once

#include <string_view>

#include "tui/run_state.hpp"

namespace tessera::tui {

// Complete lines that continue what the view has; a view without a run takes the journal's first line first.
// What cannot be read stays in `trouble`, and nothing after it is taken.
void add_lines(RunView& view, std::string_view lines, std::string_view file);

}  // namespace tessera::tui
