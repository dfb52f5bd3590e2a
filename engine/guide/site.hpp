// What is known of a cluster for the second guide, Kubernetes or Slurm: who runs it, how its boards are
// shared, and what its work is like.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::guide {

struct SiteLine {
  std::string about;  // "scheduler" "boards" "work" "speaks for Slurm" "speaks for Kubernetes" "limit"
  std::string text;
};

// now: the cluster's time. What is not told has no line.
std::vector<SiteLine> site_lines(const Cluster& cluster, TimePoint now);

}  // namespace tessera::guide
