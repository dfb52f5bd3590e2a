// kube-scheduler's filters, as far as pods and nodes say it themselves: the node's name, taints, node
// selector and required affinity, CPUs and memory. What GPUs are free is the world's.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "engine/json.hpp"

namespace tessera::sim::kube {

// CPUs in thousandths, memory in bytes.
struct Requests {
  std::int64_t millis = 0, bytes = 0;
};
// Of a pod: the sum of its containers, or the largest of those that run before them.
Requests requests_of(const Json& pod);

// In the words of kube-scheduler 1.32, without the number of nodes: "node(s) had untolerated taint {a: b}".
// Empty: they let the pod onto the node. taken: what the pods there have requested.
std::string why_filtered(const Json& pod, const Json& node, const Requests& taken);

}  // namespace tessera::sim::kube
