// Arguments into a command, its words and its flags, by the table of commands. The only user of CLI11.
// Threads: pure function.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/error.hpp"

namespace tessera::cli {

struct Parsed {
  std::string command;  // empty: the console
  std::vector<std::string> words;
  std::map<std::string, std::string> flags;  // by canonical name; "true" or "false" for a switch
};

// arguments without the program's name. Errors say what to type instead.
Result<Parsed> parse_arguments(const std::vector<std::string>& arguments);

}  // namespace tessera::cli
