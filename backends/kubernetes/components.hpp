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

#include "backends/kubernetes/objects.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// "device plugin" for a pod or DaemonSet of it; empty: no part of the GPU stack.
std::string_view component_of(std::string_view app);
std::string_view component_of(const PodObject& pod);

// sets: the DaemonSets of the GPU stack; nullptr: they may not be listed, so that nothing is called missing.
// pods: those of the GPU stack on this node.
std::vector<Component> components_of(const NodeObject& node, const std::vector<DaemonSetObject>* sets,
                                     const std::vector<const PodObject*>& pods);

}  // namespace tessera::kubernetes
