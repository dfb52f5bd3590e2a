// Completion scripts for bash and zsh, made from the table of commands and flags.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

namespace tessera::cli {

// The values that are not in the table but in data.
struct CompletionWords {
  std::vector<std::string> products;
  std::vector<std::string> scenarios;
  std::vector<std::string> themes;
  std::vector<std::string> keymaps;
};

std::string bash_completion(const CompletionWords& words);
std::string zsh_completion(const CompletionWords& words);

}  // namespace tessera::cli
