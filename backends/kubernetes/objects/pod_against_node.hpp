// One pod's words held against one node, as the scheduler's filters do: the node's name, its labels, its
// taints, its CPUs and memory. What cannot be told is told as such, and never as "it fits".
// Threads: pure functions.
#pragma once

#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "backends/kubernetes/objects/pod_terms.hpp"
#include "engine/why/against_node.hpp"

namespace tessera::kubernetes {

// asks: the pod's CPUs and memory. requested: those of pods on the node that are known; there may be others,
// so that it is a lower bound. At most one finding of a kind, but each taint.
std::vector<why::AgainstNode> against_node(const PodTerms& terms, const Compute& asks, const NodeObject& node,
                                           const Compute& requested);

// Of the pod alone: what of it is not held against nodes, and its priority class.
std::vector<Related> beside_nodes(const PodTerms& terms, const Compute& asks);

}  // namespace tessera::kubernetes
