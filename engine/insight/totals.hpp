// A cluster's sums: what there is, what is held, what is free, what waits.
// Units are never added across kinds: slices, shares of each kind, and workloads are counted apart.
// Threads: pure function of values.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/insight/available.hpp"
#include "engine/model/model.hpp"

namespace tessera::insight {

// Waiting work that asks for one resource.
struct Waiting {
  int workloads = 0;
  std::int64_t units = 0;  // of the resource, asked for by all of them
  friend bool operator==(const Waiting&, const Waiting&) = default;
};

struct Totals {
  int nodes = 0;
  int nodes_closed = 0;  // drained, draining, down, invalid
  int gpus = 0;          // GPUs that are known one by one; pools of Slurm MIG types count as none
  int slices = 0;
  int held = 0;
  std::optional<int> free = 0;  // slices of which something can be had now; nullopt: not known
  int unknown = 0;
  // Of the GPUs on which work runs those with a figure of use, and the sum of these, in percent.
  int measured = 0;
  double used = 0;
  // GPUs that are shared by MPS, and those of them that are handed out in percent.
  int mps_gpus = 0;
  int mps_in_percent = 0;
  std::map<Strategy, int> gpus_by_strategy;           // pools count their slices under mig
  std::map<std::string, int> free_by_profile;         // "1g.10gb", "whole": slices that can be had now
  std::map<std::string, int> free_shares;             // "MPS percent", "MPS clients", "shards": shares
  std::map<std::string, Waiting> waiting_by_request;  // by the resource's name in the scheduler's words
  int running = 0;
  int pending = 0;
};
Totals totals(const Cluster& cluster);

// How a slice is called in sums and tables: its profile, or its kind: "3g.40gb", "whole", "mps", "shard".
std::string slice_label(const Slice& slice);

// What shares of such a slice are: "MPS percent" on Slurm, "MPS clients" on Kubernetes, "shards",
// "time-slices"; "slices" of one that has a single holder.
std::string share_unit(const Slice& slice, Scheduler scheduler);

// What a number of a resource that is asked for counts where its name does not say it: "MPS percent" or "MPS
// shares" of Slurm's mps, with its type. Empty: the name says it.
std::string unit_asked_for(const Totals& totals, std::string_view resource, Scheduler scheduler);

}  // namespace tessera::insight
