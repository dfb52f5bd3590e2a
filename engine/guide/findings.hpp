// Habits of running work that the guide speaks about.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/insight/attention.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/sharing/platform.hpp"

namespace tessera::guide {

struct HabitFinding {
  std::string id;  // "docker-under-slurm", "several-instances"
  WorkloadId workload;
  std::string text;
  std::string hint;
};

// Docker under Slurm, as far as names and comments tell, and work that asks for several MIG instances in one
// place. Sorted by workload.
std::vector<HabitFinding> habits(const Cluster& cluster);

// The same, with what breaks the platform's rules (sharing::check_work). Sorted by workload.
std::vector<HabitFinding> seen_here(const Cluster& cluster, const mig::Catalogue& catalogue,
                                    sharing::Platform platform);

// All that needs attention in a cluster, for the console and the command line alike: what its sources tell
// (insight::attention, insight::sides_attention), habits of its work, and the rules of its platform that work
// and nodes break. set_by_site: nullopt: the platform is recognised.
std::vector<insight::Finding> all_findings(const Model& model, const Cluster& cluster,
                                           const mig::Catalogue& catalogue,
                                           std::optional<sharing::Platform> set_by_site, TimePoint wall);

}  // namespace tessera::guide
