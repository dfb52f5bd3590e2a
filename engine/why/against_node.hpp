// What one pod's own words say against single nodes: the node that it names, its node selector and affinity,
// taints that it does not tolerate, its CPUs and memory, the pods that run there. The backend judges, which
// has both objects; its findings travel with what was asked for that pod alone, among the related objects
// (model/details.hpp). Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/details.hpp"

namespace tessera::why {

// Why the pod does not start on a node.
struct AgainstNode {
  // all_cpus, all_memory: more than the node has for pods at all. From ports on it is the pods there: one has
  // a host port of its, they are as many as the kubelet takes, topology spread, anti-affinity, affinity.
  enum class By : std::uint8_t {
    name,
    selector,
    affinity,
    taint,
    all_cpus,
    cpus,
    all_memory,
    memory,
    ports,
    pods,
    spread,
    apart,
    beside
  };
  NodeName node;
  By by = By::name;
  std::string text;     // one sentence
  bool certain = true;  // false: what decides it is not known
  // selector: the label that the node would need, "pool=a", where a person sets such labels; taint: as
  // Node::taints has it; CPUs (cores) and memory (MiB): how much of them it could ask for there at most.
  std::string subject;
  friend bool operator==(const AgainstNode&, const AgainstNode&) = default;
};
Related told_as(const AgainstNode& one);
std::optional<AgainstNode> against_node(const Related& told);

// Whether the pod itself was asked, so that its words are held against the nodes.
bool is_asked(const Details* details);

// A condition of the pod that no one judges here, as a phrase: "its host ports".
Related not_judged(std::string phrase);
// That phrase; empty: `told` is something else.
std::string unjudged_in(const Related& told);

// What is told against nodes, by node; those that are certain first.
using AgainstNodes = std::map<NodeName, std::vector<AgainstNode>>;
AgainstNodes against_nodes(const Details* details);
// Of one node; all == nullptr: the pod was not asked.
const std::vector<AgainstNode>& told_of(const AgainstNodes* all, const NodeName& node);

}  // namespace tessera::why
