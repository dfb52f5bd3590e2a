// The frame of a program: its environment, its standard streams, and how it ends when they fail.
// Threads: the main one.
#pragma once

#include <functional>
#include <string_view>

#include "tui/cli/settings.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

Environment environment_of(char** variables);

// Calls `body` with the standard streams, whose messages are for `reader`. Its exception, and output that
// cannot be written, become a message and an exit code.
int run_program(std::string_view name, tui::WordsPtr reader, const std::function<int(const Streams&)>& body);

}  // namespace tessera::cli
