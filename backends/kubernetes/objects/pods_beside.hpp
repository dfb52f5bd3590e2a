// A pod's rules about the pods beside it held against all nodes, as kube-scheduler does it: what runs there
// was asked for it alone. Certain is what follows from the pods that were told and the nodes that are listed;
// a domain that has other nodes, too, or a list that is cut off leaves it not known.
// Threads: plain values, pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "backends/kubernetes/objects/pod_rules.hpp"
#include "engine/why/against_node.hpp"

namespace tessera::kubernetes {

// Pods that were asked for one that waits.
struct PodsBeside {
  std::vector<PodsTold> of_rules;            // of each of its rules, in their order
  std::map<std::string, PodsTold> on_nodes;  // all pods of the nodes that were looked at
  bool all_nodes = false;                    // ... which are all that it might use
};

struct ListedNode {
  const NodeObject* node = nullptr;
  bool chosen = true;  // the pod's node selector and affinity let it, as far as they are known
  bool sure = true;    // ... and all of them are known
  bool asked = true;   // what is against it is told; a node without GPUs only takes part in what is counted
};
// At most one finding of a kind for each rule and node.
std::vector<why::AgainstNode> against_rules(const PodRules& rules, const PodsBeside& beside,
                                            const std::vector<ListedNode>& nodes);

// What the pods of one node that was looked at leave: host ports, and how many pods the kubelet takes.
std::vector<why::AgainstNode> against_pods_on(const PodRules& rules, const PodsBeside& beside,
                                              const NodeObject& node);

}  // namespace tessera::kubernetes
