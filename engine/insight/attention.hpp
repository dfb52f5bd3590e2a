// What is wrong, what is free, who waits: the overview's answers, worked out from the model.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::insight {

struct Finding {
  Severity severity = Severity::warning;
  ClusterName cluster;
  std::string subject;  // node, source or daemon
  std::string text;     // what is wrong, one line
  std::string hint;     // what to do
};

// Most severe first. wall is the wall clock, for ages.
std::vector<Finding> attention(const Cluster& cluster, const mig::Catalogue& catalogue, TimePoint wall);

struct Totals {
  int nodes = 0;
  int nodes_closed = 0;  // drained, draining, down, invalid
  int gpus = 0;
  int slices = 0;
  int held = 0;
  int free = 0;
  int unknown = 0;
  std::map<Strategy, int> gpus_by_strategy;
  std::map<std::string, int> free_by_profile;     // "1g.10gb" → n, "whole" → n, "shard" → shares
  std::map<std::string, int> waiting_by_request;  // resource → pending workloads
  int running = 0;
  int pending = 0;
};
Totals totals(const Cluster& cluster);

}  // namespace tessera::insight
