// Slurm hands out the MPS of a node from one GPU at a time: gres.conf has one_sharing for MPS, unless it says
// all_sharing (gres.conf(5); seen with slurmctld 22.05).
// Threads: pure functions of values.
#pragma once

#include <vector>

#include "engine/model/model.hpp"

namespace tessera::insight {

// Whose MPS of the node jobs have; more than one only with all_sharing. A job that has a GPU as a whole does
// not count (seen with slurmctld 22.05). Where it is not told which GPU a job's MPS is of, or whose it is,
// one that it may be of.
std::vector<const Gpu*> gpus_whose_mps_is_in_use(const Cluster& cluster, const Node& node);

}  // namespace tessera::insight
