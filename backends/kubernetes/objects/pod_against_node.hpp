// One pod's words held against one node, as the scheduler's filters do: the node's name, its labels, its
// taints, its CPUs and memory. What cannot be told is told as such, and never as "it fits".
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "backends/kubernetes/objects/pod_terms.hpp"
#include "engine/why/against_node.hpp"

namespace tessera::kubernetes {

// asks: the pod's CPUs and memory. requested: those of pods on the node that are known; there may be others,
// so that it is a lower bound. At most one finding of a kind, but each taint.
std::vector<why::AgainstNode> against_node(const PodTerms& terms, const Compute& asks, const NodeObject& node,
                                           const Compute& requested);

// Of the pod alone: what of it is not held against nodes, and its priority class. looked: the pods of all
// nodes that it might use were asked for.
std::vector<Related> beside_nodes(const PodTerms& terms, const Compute& asks, bool looked = false);

// The place that a pod has among those that wait.
Related place_told(std::size_t place, std::size_t among);

// A label of a node. Not known: those of that key are not kept.
struct NodeLabel {
  std::optional<std::string_view> value;
  bool known = true;
};
NodeLabel label_of(const NodeObject& node, std::string_view key);

}  // namespace tessera::kubernetes
