// What the other scheduler of a machine holds (Slinky, slurm-bridge) and a node's own scheduler would hand
// out as free: slices that can be had from neither.
//
// slurmd's pod holds GPUs for Slurm to hand out: that is a loan, and no hold beside it. A job that stands for
// pods and these pods are one holder.
// Threads: pure functions of a model; what they return points into it.
#pragma once

#include <vector>

#include "engine/model/both_sides.hpp"

namespace tessera::slinky {

// A Slurm node and the Kubernetes node that are one machine. kubernetes.pod: slurmd's; null: slurm-bridge's.
struct Machine {
  const Cluster* slurm = nullptr;
  const Node* slurm_node = nullptr;
  Side kubernetes;
};
std::vector<Machine> machines(const Model& model);

// Slices of the Kubernetes node that its slurmd's pod holds and Slurm hands out.
int lent(const Machine& machine);
// Slices that Slurm hands out although no pod has asked Kubernetes for them: both may hand these out.
int contested(const Machine& machine);

// What counts as held on one side because the other holds it, in the words of the side that it is for.
std::vector<OutOfUse> held_by_kubernetes(const Model& model, const Machine& machine);
std::vector<OutOfUse> held_by_slurm(const Model& model, const Machine& machine);

}  // namespace tessera::slinky
