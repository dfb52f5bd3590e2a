// Completion scripts for bash, zsh and fish, made from the table of commands and flags.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tui/cli/command_table.hpp"

namespace tessera::cli {

// The values that are not in the table but in data.
struct CompletionWords {
  std::vector<std::string> products;
  std::vector<std::string> scenarios;
  std::vector<std::string> themes;
  std::vector<std::string> keymaps;
  std::vector<std::string> presets;
  std::map<std::string, std::vector<std::string>> columns;  // by command: "nodes"
};

std::string bash_completion(const CompletionWords& words);
std::string zsh_completion(const CompletionWords& words);
std::string fish_completion(const CompletionWords& words);

// What they share. The words that may stand there, separated by blanks; and whether the name of a file may.
std::string completion_values(Completes completes, std::string_view words, const CompletionWords& known);
bool completes_files(Completes completes);
// Words of a command behind which names of nodes follow, separated by blanks; empty: they never do.
std::string_view words_before_nodes(const Command& command);
// The columns of one list, separated by blanks.
std::string completion_columns(std::string_view command, const CompletionWords& known);

}  // namespace tessera::cli
