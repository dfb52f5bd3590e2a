// reduce: the one place where the model changes.
//
// Takes one event, changes the model in place, and says what changed, so that a view redraws only that.
// Derives holders: a workload's allocations are laid over the slices of the nodes it runs on.
// Threads: the model's owner only.
#pragma once

#include <vector>

#include "engine/model/model.hpp"

namespace tessera {

struct Changes {
  bool cluster =
      false;  // cluster-level facts: version, daemons, partitions, a source that fails or answers again
  bool status = false;  // only when a source answered, how fast, and our own pace
  std::vector<NodeName> nodes;
  std::vector<WorkloadId> workloads;
  bool any() const { return cluster || !nodes.empty() || !workloads.empty(); }  // what rows are made of
};

// About runs, not about a cluster: reduce() passes these by.
bool is_run_news(const Event& event);

// Events of a generation older than the cluster's are dropped. Unknown clusters are added.
Changes reduce(Model& model, Event event);

// Lays the allocations of `workloads` over the slices of `node` (holding, holders, exact), and sums up what
// is kept of its slices and GPUs. Each workload's allocations must be sorted by node, as reduce keeps them.
// work_known: `workloads` are all there are (Cluster::work_known); else what none of them holds is unknown,
// not free. Exposed for planning, which works on copies of nodes.
void link_holders(Node& node, const Workloads& workloads, bool work_known = true);

}  // namespace tessera
