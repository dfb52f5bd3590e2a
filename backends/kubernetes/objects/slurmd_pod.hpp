// Pods in which slurm-operator runs slurmd (Slinky): known by its labels, with the state of their Slurm node
// as it keeps it in their conditions.
//
// After slurm-operator 1.2. What it does not tell counts as in use: to end such a pod ends the jobs in it.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/operators/slinky.hpp"

namespace tessera::kubernetes {

// Its conditions SlurmNodeState… that are true.
void take_slurm_states(const std::vector<Condition>& conditions, PodObject& pod);

// The Slurm node whose slurmd it runs; empty: it runs none.
std::string slurm_node_of(const PodObject& pod);

// Of a pod that runs slurmd: why it may not be ended now; empty: Slurm has drained its node, and no job is
// there.
std::string why_in_use(const PodObject& pod);
// ... and why its Slurm node does not take jobs again; empty: it does, or another one keeps it closed.
std::string why_not_back(const PodObject& pod);

operators::SlurmdPod slurmd_pod_of(const PodObject& pod);

}  // namespace tessera::kubernetes
