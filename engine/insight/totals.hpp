// A cluster's sums: what there is, what is held, what is free, what waits.
// Threads: pure function of values.
#pragma once

#include <map>
#include <string>

#include "engine/model/model.hpp"

namespace tessera::insight {

struct Totals {
  int nodes = 0;
  int nodes_closed = 0;  // drained, draining, down, invalid
  int gpus = 0;          // boards that are known one by one; pools of Slurm MIG types count as none
  int slices = 0;
  int held = 0;
  int free = 0;  // free on nodes that take work; free slices of closed nodes count in closed_free
  int closed_free = 0;
  int unknown = 0;
  std::map<Strategy, int> gpus_by_strategy;       // pools count their slices under mig
  std::map<std::string, int> free_by_profile;     // "1g.10gb", "whole", "mps shares": slices or shares
  std::map<std::string, int> waiting_by_request;  // resource in the scheduler's words → pending workloads
  int running = 0;
  int pending = 0;
};
Totals totals(const Cluster& cluster);

// Whether new work can start there.
bool takes_work(const Node& node);

// How a slice is called in sums and tables: its profile, or its kind: "3g.40gb", "whole", "mps", "shard".
std::string slice_label(const Slice& slice);

// Shares that nobody holds (capacity minus the holders' shares; 0 when held or unknown).
int free_shares(const Slice& slice);

}  // namespace tessera::insight
