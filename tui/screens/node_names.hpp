// Nodes that are typed behind a command: "n0031", "n[1-3],n7", and "lab/n[1-3]" where several clusters have
// nodes of these names. Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/model.hpp"

namespace tessera::tui {

struct NamedNodes {
  const Cluster* cluster = nullptr;
  std::vector<NodeName> nodes;  // at least one
  std::string rest;             // what stands behind them
};
// All of one cluster. Errors: a name that no cluster has, or that several have.
Result<NamedNodes> named_nodes(const Model& model, std::string_view typed);
// The same, of the clusters of one scheduler where any of these has the nodes: drain is a word of Slurm's.
Result<NamedNodes> named_nodes(const Model& model, std::string_view typed, Scheduler of);

// As named_nodes() finds them again: with the cluster in front where another one has a node of such a name.
std::string typed_names(const Model& model, const Cluster& cluster, const std::vector<NodeName>& nodes);

}  // namespace tessera::tui
