// Whose words Node::allocatable is in: a kubelet's, or slurmctld's. Threads: pure function.
#pragma once

#include <algorithm>

#include "engine/model/values.hpp"

namespace tessera::sharing {

// Resources of Kubernetes name their vendor ("nvidia.com/gpu"), GRES of Slurm do not ("gpu:h100").
inline bool by_kubelet(const Node& node) {
  return node.allocatable &&
         std::all_of(node.allocatable->begin(), node.allocatable->end(),
                     [](const auto& one) { return one.first.find('/') != std::string::npos; });
}

}  // namespace tessera::sharing
