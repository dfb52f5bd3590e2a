// What differs between two states of a journal, line by line, for the person who takes the run up.
// Threads: pure function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::runs {

inline constexpr std::size_t kDifferenceLines = 200;

// Each line of the journal spread over many, one field a line, without the digests that tie lines together: a
// unified diff of that. Cleaned; after kDifferenceLines lines it says how many more there are.
std::vector<std::string> difference(std::string_view before, std::string_view now);

}  // namespace tessera::runs
