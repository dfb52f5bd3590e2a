// Packing problems as files: boards and demand in YAML or JSON (docs/planning.md).
// Threads: pure functions.
#pragma once

#include <string_view>

#include "engine/pack/problem.hpp"
#include "engine/pack/sizing.hpp"

namespace tessera::pack {

// More than twice the largest sites: of a million that change, the answer is worked out for many minutes.
inline constexpr std::size_t kMostBoards = 200'000;

struct FileProblem {
  Problem problem;
  Services services;  // beside the demand; empty: none are asked for
};

// `file` is used in messages only. Errors name the line of YAML, or the item of JSON
// ("boards[3].instances[0]"). The catalogue must outlive the problem.
Result<FileProblem> read_boards(std::string_view text, std::string_view file,
                                const mig::Catalogue& catalogue);

}  // namespace tessera::pack
