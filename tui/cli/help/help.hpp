// The table of commands as help: --help, and the usage of one command. The manual is in manual.hpp.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/cli/command_table.hpp"
#include "tui/cli/paper.hpp"

namespace tessera::cli {

std::string help_text();                        // tessera --help
std::string help_text(const Command& command);  // tessera COMMAND --help

// The text with tessera's commands as they are typed here: "kubectl tessera plan ..." where kubectl started
// it.
std::string as_called(std::string text, std::string_view program);

// "-o, --output FORMAT": all spellings of a flag.
std::string spelling(const Flag& flag);

// The examples of a command, one by one.
struct Example {
  std::string_view command;
  std::string_view remark;  // empty: none
};
std::vector<Example> examples(const Command& command);

// Text wrapped at `width`, each line after `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t width = 80);

// Sentences, a line each: those that a terminal would break inside of a word go on in a line of their own, as
// far in as they began. Elsewhere each stays one line.
std::string on_paper(std::string_view text, const Paper& paper);

}  // namespace tessera::cli
