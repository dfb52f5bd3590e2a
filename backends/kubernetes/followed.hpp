// The lists of the API server that the backend follows, and what is not known without each.
// Threads: constant data; for backend.cpp only.
#pragma once

#include <array>
#include <cstddef>

#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// What is followed.
enum Which : std::size_t {
  kNodes,
  kPods,
  kDaemonSets,
  kPolicies,
  kBudgets,
  kEvents,
  kSlices,
  kClaims,
  kQuotas,
  kDeviceRules,
  kKueue,
  kRefused,  // only where a quota limits GPUs
  kFeeds
};

struct Followed {
  const char* path;
  const char* query;
  const char* what;
  bool watched;
  Source source;
  const char* older = "";
  const char* without = "";    // what stays unknown where it may not be read; empty: its source fails
  std::size_t most = 500'000;  // objects of a list: Kubernetes is made for 5,000 nodes and 150,000 pods
};
inline constexpr std::array<Followed, kFeeds> kFollowed = {{
    {"/api/v1/nodes", "", "nodes", true, Source::kubernetes_nodes, "", "", 50'000},
    // Pods that have ended hold nothing; there may be thousands of them.
    {"/api/v1/pods", "fieldSelector=status.phase!%3DSucceeded%2Cstatus.phase!%3DFailed", "pods", true,
     Source::kubernetes_pods},
    {"/apis/apps/v1/daemonsets", "", "daemonsets.apps", false, Source::kubernetes_operator},
    {"/apis/nvidia.com/v1/clusterpolicies", "", "clusterpolicies.nvidia.com", false,
     Source::kubernetes_operator},
    {"/apis/policy/v1/poddisruptionbudgets", "", "poddisruptionbudgets.policy", true, Source::kubernetes_pods,
     "/apis/policy/v1beta1/poddisruptionbudgets", "which pods a disruption budget keeps from being evicted"},
    {"/api/v1/events", "fieldSelector=involvedObject.kind%3DNode", "events", true, Source::kubernetes_nodes,
     "", "what has happened to nodes lately"},
    {"/apis/resource.k8s.io/v1/resourceslices", "", "resourceslices.resource.k8s.io", true,
     Source::kubernetes_claims, "/apis/resource.k8s.io/v1beta1/resourceslices",
     "which devices DRA drivers hand out"},
    {"/apis/resource.k8s.io/v1/resourceclaims", "", "resourceclaims.resource.k8s.io", true,
     Source::kubernetes_claims, "/apis/resource.k8s.io/v1beta1/resourceclaims",
     "which pods hold devices of DRA drivers"},
    {"/api/v1/resourcequotas", "", "resourcequotas", false, Source::kubernetes_pods, "",
     "how many GPUs the pods of a namespace may ask for"},
    {"/apis/resource.k8s.io/v1/devicetaintrules", "", "devicetaintrules.resource.k8s.io", false,
     Source::kubernetes_claims, "/apis/resource.k8s.io/v1beta2/devicetaintrules",
     "which devices a DeviceTaintRule keeps new pods off"},
    {"/apis/kueue.x-k8s.io/v1beta2/workloads", "", "workloads.kueue.x-k8s.io", true, Source::kubernetes_pods,
     "/apis/kueue.x-k8s.io/v1beta1/workloads", "which work waits until Kueue admits it"},
    {"/api/v1/events", "fieldSelector=reason%3DFailedCreate", "events", false, Source::kubernetes_pods, "",
     "whose pods a ResourceQuota refuses"},
}};

}  // namespace tessera::kubernetes
