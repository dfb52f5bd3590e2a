// Folded lists of hosts as Slurm writes them ("gpu[01-02],mig01", "rack[1-2]-n[1-4]") taken apart and made.
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

// The list folded as `scontrol show hostlist` does it (22.05): the order stays, nothing is dropped;
// neighbours that count up by one with the same start and leading zeros become a range, and ranges with the
// same start share a bracket. Names that end in more than 18 digits stay as they are (Slurm itself mangles
// them). expand_hosts(fold_hosts(names)) gives the names again, unless one is empty or holds a comma or a
// bracket.
std::string fold_hosts(const std::vector<std::string>& names);

// The same for people to read: in the natural order of names, n2 before n10, whatever the order that they
// come in (an API server's is n1, n10, n2).
std::string fold_for_reading(std::vector<std::string> names);

// "0,2-7" → 0 2 3 4 5 6 7; nullopt: not such a list, or one of more than `most` numbers.
std::optional<std::vector<int>> expand_numbers(std::string_view list, std::size_t most);

}  // namespace tessera
