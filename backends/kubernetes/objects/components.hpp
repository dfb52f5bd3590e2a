// What a node's GPUs depend on there: the operator's DaemonSets and their pods, in the order in which each
// needs the one before (driver, toolkit, plugin, discovery, MIG manager, DCGM).
//
// Names, selectors and pauses as in gpu-operator v26.3 (assets/*, controllers/state_manager.go) and
// mig-parted v0.15.0; the plain charts of the device plugin and GKE's own plugin are known, too. Threads:
// pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// "device plugin" for a pod or DaemonSet of it; empty: no part of the GPU stack.
std::string_view component_of(std::string_view app);
std::string_view component_of(const PodObject& pod);

inline constexpr std::string_view kPluginComponent = "device plugin";
inline constexpr std::string_view kDraComponent = "DRA driver";
inline constexpr std::string_view kMpsDaemon = "MPS daemon";

// What is kept of a pod of the GPU stack: on a large cluster nine of ten pods are such.
struct StackPod {
  std::string_view component;  // as component_of() names it
  Text name_space;
  std::string name;
  std::string trouble;             // why it is not ready, in its own words; empty: it is, or it is ending
  std::optional<TimePoint> since;  // ... by the server's clock; nullopt: that is so, or it is not told
  bool ready = false;
  bool ending = false;
  bool metrics_https = false;
  int metrics_port = 0;
  std::optional<bool> dynamic_mig;  // of a DRA driver: what its gate DynamicMIG is set to; nullopt: not set
  std::uint32_t list = 0;           // of pods, by which it was told last

  friend bool operator==(const StackPod&, const StackPod&) = default;
  bool is(const PodObject& pod) const { return name == pod.meta.name && name_space == pod.meta.name_space; }
  bool is_before(const PodObject& pod) const;  // in the order of their ids
};
// Of a pod that has a component.
StackPod stack_pod_of(const PodObject& pod);

// sets: the DaemonSets of the GPU stack; nullptr: they may not be listed, so that nothing is called missing.
// pods: those of the GPU stack on this node.
std::vector<Component> components_of(const NodeObject& node, const std::vector<DaemonSetObject>* sets,
                                     const std::vector<StackPod>& pods);

}  // namespace tessera::kubernetes
