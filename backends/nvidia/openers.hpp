// Which programs have the GPUs of a node open, whether the driver lists them or not: nvidia-persistenced,
// DCGM and other monitors compute nothing, so that nvidia-smi lists none of them, and the driver refuses a
// reset all the same.
//
// Asked of /proc by one find, which writes nothing and follows no link. It gives each process's program, not
// its arguments, which may hold secrets. Threads: pure functions.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera::nvidia {

// Longest answer that is read, in records.
inline constexpr std::size_t kMostRecords = 262'144;

struct Opener {
  std::int64_t pid = 0;
  std::string program;   // "/usr/bin/nv-hostengine", without control characters; empty: not told
  std::set<int> minors;  // N of each /dev/nvidiaN
};

std::vector<std::string> list_openers();
// Processes that end meanwhile are none. Errors: not every process could be read (only root sees all of
// them), find has no such options, or a record is none of its.
Result<std::vector<Opener>> parse_openers(std::string_view out, std::string_view err, int exit_code);

}  // namespace tessera::nvidia
