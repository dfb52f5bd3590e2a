// What a pod demands of the pods beside it: required affinity and anti-affinity, topology spread that keeps
// it off nodes, and the host ports that it takes. From the pod's JSON, read strictly: a rule of a form that
// is not judged here is left out, and told as such. Threads: plain values, pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/json.hpp"

namespace tessera::kubernetes {

struct HostPort {
  std::string protocol, address;  // "TCP", "0.0.0.0"
  std::int64_t port = 0;
};
// "9100/TCP"
std::string port_text(const HostPort& port);
// Whether one node cannot give both.
bool clash(const HostPort& a, const HostPort& b);

struct PodRule {
  enum class Is : std::uint8_t { beside, apart, spread };
  Is is = Is::apart;
  std::string topology;             // the label whose values part the nodes: "kubernetes.io/hostname"
  std::vector<std::string> spaces;  // the namespaces of the pods that count
  std::string selector;             // these of them, as kubectl takes it: "app=x,tier in (a,b)"; empty: all
  bool matches_itself = false;
  std::int64_t most_apart = 1;  // of spread: maxSkew
};

struct PodRules {
  std::vector<PodRule> rules;
  bool unjudged = false;  // there are others, too
  // The labels of all spreads that keep it off nodes, judged or not: a node without one of them counts in
  // none.
  std::vector<std::string> spread_keys;
  std::vector<HostPort> ports;
};
// So many rules are judged, each of so many namespaces at most: each of them is a list to ask for.
inline constexpr std::size_t kMostRules = 4;
inline constexpr std::size_t kMostSpaces = 2;
PodRules pod_rules_of(const Json& pod);

// A pod that has a node, as far as others heed it.
struct PodThere {
  std::string id, node;
  bool ending = false;
  std::vector<HostPort> ports;
};
// nullopt: it has no node, or has ended.
std::optional<PodThere> pod_there_of(const Json& pod);

// Pods that were asked for. missing: lists without an answer, or with more than is read.
struct PodsTold {
  std::vector<PodThere> pods;
  std::size_t missing = 0;
  bool whole() const { return missing == 0; }
};

}  // namespace tessera::kubernetes
