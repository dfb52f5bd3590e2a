// Nodes whose pods run slurmd (Slinky): what a plan of the Kubernetes side does about Slurm.
//
// The cordon drains the node in Slurm, too: slurm-operator sees to it, with the reason that it is told, and
// opens it again afterwards. So one plan of one cluster drains both, and Slurm's jobs are waited for, never
// ended. Threads: pure functions of values.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/operators/slinky.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {

using SlurmdPods = std::map<std::string, operators::SlurmdPod>;

// By pod, "namespace/name": those on the node of the change.
SlurmdPods slurmd_pods_on(const NodeChange& change);

// What to know before arming.
std::vector<Notice> slurmd_notices(const NodeChange& change);

}  // namespace tessera::plan
