// Pods and jobs held against the rules of their platform: what asks for several shares, misses hostIPC, runs
// several processes in one container, or asks MPS for more than one GPU has. And what a platform needs that a
// cluster does not have.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/sharing/rules.hpp"

namespace tessera::sharing {

struct WorkFinding {
  std::string rule;     // "fpt-c", "plugin-request", "share-request", "mps-one-gpu", "ack-version"
  WorkloadId workload;  // empty: it is about the cluster
  NodeName node;        // where it runs; empty: nowhere yet, or several
  std::string text;     // names the workload
  std::string hint;
};

// A pod as far as rules look at it. What is not reported of it (hostIPC, processes) breaks no rule.
PodShape pod_shape(const Workload& pod);

// What the pods of a node break, were the node as `shape`; ids sorted.
std::vector<WorkFinding> check_pods(const Cluster& cluster, Platform platform, const Node& node,
                                    const NodeShape& shape);

// Everything of a cluster that runs or waits, as things stand. Sorted by workload and rule.
std::vector<WorkFinding> check_work(const Cluster& cluster, const mig::Catalogue& catalogue,
                                    Platform platform);

// The rules of a managed platform that nodes break as they stand.
Violations check_nodes(const Cluster& cluster, const mig::Catalogue& catalogue, Platform platform);

// From Cluster::version: "kubernetes v1.28.3, sharing component 1.9.13".
AckFacts ack_facts(const Cluster& cluster);

}  // namespace tessera::sharing
