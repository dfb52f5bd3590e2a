#include "backends/kubernetes/objects/driver_upgrade.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace tessera::kubernetes {
namespace {

struct State {
  std::string_view name, waits, hint;
};

constexpr std::array kStates{
    State{"upgrade-required", "it waits for its turn",
          "maxParallelUpgrades and maxUnavailable of the upgrade policy bound how many nodes are upgraded at "
          "once, and a node that failed counts; label nvidia.com/gpu-driver-upgrade.skip=true leaves this "
          "one out"},
    State{"node-maintenance-required", "it waits for the maintenance operator",
          "kubectl get nodemaintenances -A shows its request"},
    State{"cordon-required", "the node is about to be cordoned", "the GPU operator goes on by itself"},
    State{"wait-for-jobs-required", "it waits for pods to end",
          "waitForCompletion of the upgrade policy says for which pods, and for how long"},
    State{"pod-deletion-required", "pods that hold its GPUs are evicted", ""},
    State{"drain-required", "the node is drained", ""},
    State{"pod-restart-required", "it waits for the new driver's pod",
          "kubectl get pods -A -l app=nvidia-driver-daemonset: its log shows what it does; it cannot unload "
          "the old driver while a process has a GPU open"},
    State{"validation-required", "it waits for the validator's pod",
          "kubectl get pods -A -l app=nvidia-operator-validator: the log of its init container shows which "
          "check fails"},
    State{"uncordon-required", "the node is about to be opened again", "the GPU operator goes on by itself"},
    State{"post-maintenance-required", "it waits for the maintenance operator to give the node back",
          "kubectl get nodemaintenances -A shows its request"},
};

const State* find(std::string_view state) {
  const auto found =
      std::find_if(kStates.begin(), kStates.end(), [&](const State& one) { return one.name == state; });
  return found == kStates.end() ? nullptr : &*found;
}

}  // namespace

std::string_view upgrade_waits_for(std::string_view state) {
  const State* known = find(state);
  return known ? known->waits : std::string_view();
}

std::string upgrade_hint(std::string_view state, std::string_view node) {
  const State* known = find(state);
  if (!known)
    return "the GPU operator goes on by itself; one that stays so waits for work to end, or for its driver's "
           "pod";
  if (!known->hint.empty()) return std::string(known->hint);
  return fmt::format(
      "kubectl get pods -A --field-selector spec.nodeName={} lists them; a pod without a controller, with "
      "local data, or kept by a PodDisruptionBudget holds it up: end it, or see podDeletion and drain in the "
      "upgrade policy",
      node);
}

}  // namespace tessera::kubernetes
