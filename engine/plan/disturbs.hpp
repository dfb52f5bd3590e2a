// Whom the change of many nodes disturbs, without their steps: for who looks at thousands of nodes at once.
// Threads: pure functions.
#pragma once

#include <vector>

#include "engine/plan/planner.hpp"

namespace tessera::plan {

struct NodeDisturbs {
  NodeName node;
  std::vector<Disturbed> whom;  // largest loss first
};

// The blast radius of each node of make_plan with the same arguments, in the order of the intent. Errors:
// those of that plan, but for what only the steps of a node whose GPUs change would refuse.
Result<std::vector<NodeDisturbs>> disturbed_by(const Cluster& cluster, const mig::Catalogue& catalogue,
                                               const Intent& intent, const Means& can, const SiteRules& told,
                                               TimePoint now);

}  // namespace tessera::plan
