// Managed services that fix how a node's GPUs are cut and shared when they make it.
#include <fmt/format.h>

#include "engine/plan/operator_goal.hpp"
#include "engine/sharing/shape.hpp"
#include "engine/text.hpp"

namespace tessera::plan {

std::optional<std::string> fixed_at_creation(const Node& node, const std::vector<BoardChange>& boards) {
  auto label = [&](std::string_view key) { return sharing::label(node, key); };
  std::string profile = "PROFILE";
  for (const BoardChange& board : boards)
    if (!board.after.instances.empty()) profile = board.after.instances.front().profile.text;
  if (auto pool = label("cloud.google.com/gke-nodepool"))
    return fmt::format(
        "GKE fixes how GPUs are cut and shared when it makes a node pool; {} stays as it is. Make "
        "another one: gcloud container node-pools create NAME --cluster CLUSTER --accelerator "
        "type=TYPE,count={},gpu-partition-size={}",
        clean(*pool, 64), node.gpus.size(), profile);
  if (auto pool = label("kubernetes.azure.com/agentpool")) {
    std::string width = profile.substr(0, profile.find('.'));
    return fmt::format(
        "AKS fixes the MIG profile when it makes a node pool; {} stays as it is. Make another one: "
        "az aks nodepool add --name NAME --resource-group GROUP --cluster-name CLUSTER "
        "--gpu-instance-profile MIG{}",
        clean(*pool, 64), width);
  }
  if (label("ack.node.gpu.schedule"))
    return "ACK changes a whole node pool by the label ack.node.gpu.schedule, one mode for all its nodes: "
           "kubectl label node NODE --overwrite ack.node.gpu.schedule=mps (default takes it back; taking the "
           "label off does not)";
  return std::nullopt;
}

}  // namespace tessera::plan
