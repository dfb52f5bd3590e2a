// What a workload holds, each instance by its profile.
//
// A job of Slurm's that asked for a GPU of no type, where the GPUs are cut, holds a 1g: "1 × whole" would say
// seven times as much.
// Threads: pure functions of values.
#pragma once

#include <vector>

#include "engine/model/model.hpp"

namespace tessera::insight {

// As `workload.allocations`, with one for each device of those without a type. What is told by count alone
// stays as it is.
std::vector<Allocation> named_allocations(const Cluster& cluster, const Workload& workload);

}  // namespace tessera::insight
