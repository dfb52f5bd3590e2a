// Whether what was wasted is known at all: where nothing was measured, nothing found is not nothing wasted.
// Threads: pure functions.
#pragma once

#include <algorithm>

#include "engine/usage/reckoning.hpp"

namespace tessera::usage {

// No use of what was held in its cluster was measured.
inline bool is_unmeasured(const NotKnown& one) { return one.kind == "idle" && !one.partly; }
// In that cluster. Of one of which all is left out nothing is missing.
inline bool is_unmeasured(const Reckoning& read, const ClusterName& cluster) {
  const auto told = read.use_told.find(cluster);
  if (told != read.use_told.end() && told->second.left_out) return false;
  return std::any_of(read.not_known.begin(), read.not_known.end(), [&](const NotKnown& one) {
    return is_unmeasured(one) && (one.cluster.empty() || one.cluster == cluster);
  });
}
// In one of the clusters.
inline bool is_unmeasured(const Reckoning& read) {
  return std::any_of(read.not_known.begin(), read.not_known.end(), [&](const NotKnown& one) {
    return is_unmeasured(one) && is_unmeasured(read, one.cluster);
  });
}

}  // namespace tessera::usage
