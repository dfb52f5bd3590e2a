// Machines that are a node of two schedulers, and of their free slices those that both hand out: what is free
// in the rows of one is free in those of the other, and is there once. Threads: pure functions of a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"

namespace tessera::insight {

struct SharedMachine {
  ClusterName slurm, kubernetes;
  NodeName slurm_node, kubernetes_node;
  // Slices that are free with either scheduler; 0: they do not hand out the same. nullopt: not known.
  std::optional<int> free_in_both;
};
std::vector<SharedMachine> shared_machines(const Model& model);

// For each two clusters that have such slices: which machines, and how many in all; and of which machines
// that is not known.
std::vector<std::string> shared_lines(const std::vector<SharedMachine>& machines);

}  // namespace tessera::insight
