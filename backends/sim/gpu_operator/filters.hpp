// kube-scheduler's filters, as far as pods and nodes say it themselves: the node's name, taints, node
// selector and required affinity, host ports, how many pods a node takes, CPUs and memory, topology spread,
// affinity and anti-affinity of pods. What GPUs are free is the world's.
// Threads: pure functions of objects.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "backends/sim/apiserver/store.hpp"
#include "engine/json.hpp"

namespace tessera::sim::kube {

// CPUs in thousandths, memory in bytes.
struct Requests {
  std::int64_t millis = 0, bytes = 0;
};
// Of a pod: the sum of its containers, or the largest of those that run before them.
Requests requests_of(const Json& pod);

// Nodes, and the pods that have one and have not ended.
struct Around {
  std::map<std::string, ObjectPtr, std::less<>> nodes;
  struct There {
    std::vector<ObjectPtr> pods;
    Requests taken;  // what they have requested
  };
  std::map<std::string, There, std::less<>> there;
  std::vector<ObjectPtr> wary;  // those of them that do not let any other beside them
  const There& on(std::string_view node) const;
};
Around around_of(const ObjectStore& objects);

// In the words of kube-scheduler 1.32, without the number of nodes: "node(s) had untolerated taint {a: b}".
// Empty: they let the pod onto the node. there: the pods on it.
std::string why_filtered(const Json& pod, const Json& node, const Around::There& there);
// What other pods there are lets the pod onto the node: topology spread, affinity and anti-affinity, its own
// and theirs.
std::string why_kept_apart(const Json& pod, const Json& node, const Around& around);

// Whether the words of a filter are about other pods: such a pod is looked at again when these come and go.
bool is_about_others(std::string_view why);
// Whether a pod's own words are about other pods.
bool heeds_others(const Json& pod);

}  // namespace tessera::sim::kube
