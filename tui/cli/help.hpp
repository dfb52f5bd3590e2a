// The table of commands told to people: --help, the usage of one command, the manual.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "tui/cli/command_table.hpp"

namespace tessera::cli {

std::string help_text();                        // tessera --help
std::string help_text(const Command& command);  // tessera COMMAND --help
std::string manual(std::string_view version);   // roff for man(1)

// "-o, --output FORMAT": all spellings of a flag.
std::string spelling(const Flag& flag);

// Text wrapped at `width`, each line after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 80);

}  // namespace tessera::cli
