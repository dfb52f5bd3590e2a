// A pool that is to have so many instances, on whichever of its GPUs: spread by the packing planner.
// Threads: pure function.
#pragma once

#include "engine/fleet/survey.hpp"

namespace tessera::fleet {

// Instances that are held or stand on GPUs that no plan may change count as there; the rest is packed onto
// the others, and the GPUs that are to change are added to their nodes, which become Standing::drifts.
// nodes: those of the pool that are known. Returns what cannot be met.
std::optional<PoolNote> spread(const Pool& pool, const Cluster& cluster, const Place& place,
                               const std::vector<NodeSurvey*>& nodes);

}  // namespace tessera::fleet
