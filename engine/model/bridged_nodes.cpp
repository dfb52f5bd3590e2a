#include "engine/model/bridged_nodes.hpp"

#include <algorithm>
#include <set>

namespace tessera::slinky {
namespace {

bool one_slurm_cluster_has(const Model& model, const std::string& name) {
  return std::count_if(model.clusters.begin(), model.clusters.end(), [&](const Cluster& cluster) {
           return cluster.scheduler == Scheduler::slurm && cluster.nodes.find(NodeName(name));
         }) == 1;
}

}  // namespace

// "slinky.slurm.net/managed-node=slurm-bridge-scheduler:NoExecute"
bool is_managed(const Node& node) {
  return std::any_of(node.taints.begin(), node.taints.end(), [](const std::string& taint) {
    return taint.starts_with(kManagedTaint) && taint.substr(kManagedTaint.size()).find_first_of("=:") == 0;
  });
}

std::string slurm_name(const Node& node) {
  for (const std::string& feature : node.features)
    if (feature.starts_with(kSlurmNameLabel) && feature.substr(kSlurmNameLabel.size()).starts_with("="))
      return feature.substr(kSlurmNameLabel.size() + 1);
  return node.name.text;
}

BridgedNodes::BridgedNodes(const Model& model) {
  if (!may_join(model)) return;
  std::set<std::string> twice;
  for (const Cluster& cluster : model.clusters) {
    if (cluster.scheduler != Scheduler::kubernetes) continue;
    for (const Node& node : cluster.nodes.all()) {
      // One without GPUs has none to count: what Slurm says of it stays.
      if (!is_managed(node) || (node.gpus.empty() && node.pool.empty())) continue;
      const std::string name = slurm_name(node);
      if (!by_slurm_name_.try_emplace(name, Side{&cluster, &node, nullptr}).second) twice.insert(name);
    }
  }
  std::erase_if(by_slurm_name_, [&](const auto& one) {
    return twice.contains(one.first) || !one_slurm_cluster_has(model, one.first);
  });
}

const Side* BridgedNodes::of(const Node& slurm_node) const {
  if (slurm_node.host_pod) return nullptr;  // slurm-operator's, joined by its pod
  const auto found = by_slurm_name_.find(slurm_node.name.text);
  return found == by_slurm_name_.end() ? nullptr : &found->second;
}

}  // namespace tessera::slinky
