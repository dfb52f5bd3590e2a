// Whether what was wasted is known at all: where nothing was measured, nothing found is not nothing wasted.
// Threads: pure functions.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/usage/report.hpp"

namespace tessera::usage {

// No use of what was held in its cluster was measured.
inline bool is_unmeasured(const NotKnown& one) { return one.kind == "idle" && !one.partly; }
// In one of the clusters.
inline bool is_unmeasured(const std::vector<NotKnown>& not_known) {
  return std::any_of(not_known.begin(), not_known.end(),
                     [](const NotKnown& one) { return is_unmeasured(one); });
}
inline bool is_unmeasured(const std::vector<NotKnown>& not_known, const ClusterName& cluster) {
  return std::any_of(not_known.begin(), not_known.end(), [&](const NotKnown& one) {
    return is_unmeasured(one) && (one.cluster.empty() || one.cluster == cluster);
  });
}

}  // namespace tessera::usage
