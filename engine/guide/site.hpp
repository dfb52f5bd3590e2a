// What is known of a cluster for the second guide, Kubernetes or Slurm: who runs it, how its GPUs are
// shared, and what its work is like.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::guide {

struct SiteLine {
  std::string about;  // "scheduler" "GPUs" "workloads" "speaks for Slurm" "speaks for Kubernetes" "limit"
  std::string text;
};

// told_by_site: what the site says it is, see sharing::platform_of. now: the cluster's time. What is not
// reported has no line.
std::vector<SiteLine> site_lines(const Cluster& cluster, std::optional<sharing::Platform> told_by_site,
                                 TimePoint now);

}  // namespace tessera::guide
