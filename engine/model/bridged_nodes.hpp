// Nodes of Slurm that are nodes of a Kubernetes cluster as well, because slurm-bridge places Slurm's jobs
// there as pods: external ones, which have no slurmd, and hybrid ones. Their GPUs are the Kubernetes
// cluster's.
//
// slurm-bridge 1.2 taints each node that it has, and knows it in Slurm by a label, else by its own name.
// Where two nodes answer to one name, nothing is joined. Threads: pure functions of a model; what they return
// points into it.
#pragma once

#include <map>
#include <string>

#include "engine/model/both_sides.hpp"

namespace tessera::slinky {

inline constexpr std::string_view kManagedTaint = "slinky.slurm.net/managed-node";
inline constexpr std::string_view kSlurmNameLabel = "slinky.slurm.net/slurm-nodename";

// Whether slurm-bridge has this Kubernetes node.
bool is_managed(const Node& node);
// As which slurm-bridge knows a Kubernetes node in Slurm, if it has it.
std::string slurm_name(const Node& node);

class BridgedNodes {
 public:
  explicit BridgedNodes(const Model& model);

  // The Kubernetes node that has the GPUs of a node of a Slurm cluster; nullptr: none is known for sure.
  const Side* of(const Node& slurm_node) const;

 private:
  std::map<std::string, Side> by_slurm_name_;
};

}  // namespace tessera::slinky
