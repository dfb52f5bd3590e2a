// Who else decides how a node's GPUs are cut and shared: managed services, when they make it; other device
// plugins.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/steps/operator_goal.hpp"
#include "engine/sharing/shape.hpp"
#include "engine/text.hpp"

namespace tessera::plan {

// Shares on Kubernetes are never the operator's: NVIDIA's device plugin knows replicas.
std::optional<std::string> split_by_others(const Node& node) {
  bool split = std::any_of(node.gpus.begin(), node.gpus.end(),
                           [](const Gpu& gpu) { return gpu.strategy == Strategy::shard; });
  if (!split) return std::nullopt;
  return fmt::format(
      "another device plugin than NVIDIA's, such as HAMi's, hands out the GPUs of {0} in parts, and would "
      "not notice what the MIG manager does there. Into how many it splits a GPU is its own setting (HAMi: "
      "devicePlugin.deviceSplitCount of its chart); to cut or share the node otherwise, take it away from "
      "that plugin first (HAMi: kubectl label node {0} gpu-)",
      node.name.text);
}

std::optional<std::string> fixed_at_creation(const Node& node, const std::vector<BoardChange>& boards) {
  auto label = [&](std::string_view key) { return sharing::label(node, key); };
  std::string profile, shares;
  bool cut = false;
  for (const BoardChange& board : boards) {
    cut = cut || board.mode_changes || board.instances_change();
    if (!board.after.instances.empty()) profile = board.after.instances.front().profile.text;
    if (board.after.replicas > 1)
      shares =
          fmt::format(",gpu-sharing-strategy={},max-shared-clients-per-gpu={}",
                      board.after.strategy == Strategy::mps ? "mps" : "time-sharing", board.after.replicas);
  }
  if (auto pool = label("cloud.google.com/gke-nodepool"))
    return fmt::format(
        "GKE fixes how GPUs are cut and shared when it makes a node pool; {} stays as it is. Make "
        "another one: gcloud container node-pools create NAME --cluster CLUSTER --accelerator "
        "type=TYPE,count={}{}{}",
        clean(*pool, 64), node.gpus.size(), profile.empty() ? "" : ",gpu-partition-size=" + profile, shares);
  // Every AKS node has this label; sharing is the device plugin's there as elsewhere.
  if (auto pool = label("kubernetes.azure.com/agentpool"); pool && cut) {
    std::string width = profile.substr(0, profile.find('.'));
    return fmt::format(
        "AKS fixes the MIG profile when it makes a node pool; {} stays as it is. Make another one: "
        "az aks nodepool add --name NAME --resource-group GROUP --cluster-name CLUSTER "
        "{}",
        clean(*pool, 64), width.empty() ? "--node-vm-size SIZE" : "--gpu-instance-profile MIG" + width);
  }
  return std::nullopt;
}

}  // namespace tessera::plan
