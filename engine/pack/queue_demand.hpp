// What waits as a demand for the planner: the MIG slices and whole GPUs for which waiting jobs and pods ask.
// Threads: pure function.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/pack/problem.hpp"

namespace tessera::pack {

struct QueueDemand {
  std::vector<Demand> demand;   // by profile, in the order of their names
  int workloads = 0;            // that it counts
  std::vector<WorkloadId> ids;  // of these
  int other = 0;                // that wait for room, and ask for something else: shares, GPUs without a type
  int kept = 0;                 // that wait for something else than room: a release, a limit, a dependency
};

// All that waits for room counts, also what idle slices will serve: the planner lets these stand. partition:
// only work of this partition (Slurm; on Kubernetes of this namespace); empty: all. only: of these alone.
// whole: with whole GPUs, where nothing but uncut GPUs is handed out by the name that is asked for; nullptr:
// without. Slurm serves a GPU without a type from any kind: such a request says nothing.
QueueDemand demand_of_queue(const Cluster& cluster, const std::string& partition, const mig::Catalogue* whole,
                            const std::set<WorkloadId>* only = nullptr);

}  // namespace tessera::pack
