// Nodes to which a plan over a whole cluster is narrowed, as a person typed them, and the cluster as it stood
// when the planner was asked. Threads: plain values.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/planner.hpp"

namespace tessera::tui {

struct Narrowed {
  std::vector<NodeName> nodes;  // empty: all, or those of the partition
  std::string partition;        // of Slurm, or a namespace of Kubernetes; empty: all
  bool any() const { return !nodes.empty() || !partition.empty(); }
  friend bool operator==(const Narrowed&, const Narrowed&) = default;
};

// The model moves on while the planner works.
struct ClusterThen {
  Cluster cluster;
  const mig::Catalogue* catalogue = nullptr;
  plan::Means can;
  plan::SiteRules rules;
  TimePoint now{};  // by the cluster's clock
};

}  // namespace tessera::tui
