// Slurm hands out the MPS of a node from one GPU at a time: gres.conf has one_sharing for MPS, unless it says
// all_sharing (gres.conf(5); seen with slurmctld 22.05).
// Threads: pure functions of values.
#pragma once

#include "engine/model/values.hpp"

namespace tessera::insight {

// The only GPU of the node whose MPS is in use: while it is, the others have none for a job. nullptr: none is
// in use, or several are, which only all_sharing allows. Where it is not told which GPU a job's MPS is of,
// one that it may be of.
const Gpu* only_gpu_whose_mps_is_in_use(const Node& node);

}  // namespace tessera::insight
