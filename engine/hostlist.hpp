// Folded lists of hosts as Slurm writes them ("gpu[01-02],mig01", "rack[1-2]-n[1-4]") taken apart.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"

namespace tessera {

// At most so many names come out of one list: more is an error, not a full memory.
constexpr std::size_t kMostHosts = 100'000;

// In the order written. Errors: brackets that do not close, ranges that are none, more than `most` names.
Result<std::vector<std::string>> expand_hosts(std::string_view list, std::size_t most = kMostHosts);

// "0,2-7" → 0 2 3 4 5 6 7; nullopt: not such a list, or one of more than `most` numbers.
std::optional<std::vector<int>> expand_numbers(std::string_view list, std::size_t most);

}  // namespace tessera
