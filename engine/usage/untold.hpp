// Whether what was wasted is known at all: where nothing was measured, nothing found is not nothing wasted.
// Threads: a pure function.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/usage/report.hpp"

namespace tessera::usage {

// In one of the clusters no use of what was held was measured.
inline bool is_unmeasured(const std::vector<NotKnown>& not_known) {
  return std::any_of(not_known.begin(), not_known.end(),
                     [](const NotKnown& one) { return one.kind == "idle" && !one.partly; });
}

}  // namespace tessera::usage
