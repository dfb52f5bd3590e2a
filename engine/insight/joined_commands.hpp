// Commands that are the same but for the node, as one: scontrol takes a hostlist, kubectl several names.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tessera::insight {

// A command to copy, and the node that it names.
struct CommandFor {
  std::string node;
  std::string command;
};

// In the order in which each kind comes first, each once, at most `most`. What names no node, or belongs to a
// tool that takes one at a time, stays as it is.
std::vector<std::string> joined_commands(const std::vector<CommandFor>& all, std::size_t most);

}  // namespace tessera::insight
