// What a pod says about the nodes that it may start on: its node selector, required node affinity and
// tolerations, and what else the scheduler heeds. From the pod's JSON, read strictly: a part that cannot be
// read is named as such, and nothing is concluded from it.
// Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "backends/kubernetes/objects/pod_rules.hpp"
#include "engine/json.hpp"

namespace tessera::kubernetes {

// One requirement: a node's label (or, of matchFields, its field) against values.
struct NodeDemand {
  enum class Is : std::uint8_t { in, not_in, exists, absent, above, below };
  std::string key;
  Is is = Is::exists;
  std::vector<std::string> values;  // of above, below: one whole number
};
// All of them have to hold. Without any it matches no node.
struct NodeTerm {
  std::vector<NodeDemand> labels, fields;
};

struct Toleration {
  std::string key;      // empty: any
  bool exists = false;  // whatever the value is
  std::string value;
  std::string effect;  // empty: any
};

struct PodTerms {
  std::string node;                                           // spec.nodeName
  std::vector<std::pair<std::string, std::string>> selector;  // all of these labels
  std::optional<std::vector<NodeTerm>> affinity;  // one of the terms has to hold; nullopt: none is required
  std::vector<Toleration> tolerations;
  // These cannot be read, or are of a kind that is not known.
  bool selector_unread = false, affinity_unread = false, tolerations_unread = false;
  PodRules rules;                // about the pods beside it, and its host ports
  std::set<std::string> others;  // what it asks for beside GPUs, CPUs and memory: "rdma/hca", "hugepages-2Mi"
  std::string priority_class;
  std::optional<std::int64_t> priority;
  bool preempts_never = false;
  std::string waits_for;  // the scheduler's message, why it has no node
};
PodTerms pod_terms_of(const Json& pod);

}  // namespace tessera::kubernetes
