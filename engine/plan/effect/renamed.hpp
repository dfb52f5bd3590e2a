// Names that fall away: a pod asks for a resource by its name, and what is offered by another one from now on
// is not what it asks for. Threads: a pure function.
#pragma once

#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// One notice for each name that gives way to another of the same GPUs, with the pods that ask by the old one:
// those that wait anywhere, and those that run on this node.
std::vector<Notice> renamed_notices(const Cluster& cluster, const NodePlan& plan);

}  // namespace tessera::plan
