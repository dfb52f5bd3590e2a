// Flags as one command takes them: not each form of output is one that it can print. Threads: pure functions.
#pragma once

#include "tui/cli/command_table.hpp"

namespace tessera::cli {

// takes: of a command, or of several.
Flag as_taken(Flag flag, unsigned takes);
// Of commands, those whose answer is rows of a table, which can be wide or CSV.
unsigned printing_rows(unsigned takes);

}  // namespace tessera::cli
