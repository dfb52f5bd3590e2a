#include "engine/insight/both_sides.hpp"

#include <algorithm>
#include <unordered_map>

#include "engine/insight/counted.hpp"
#include "engine/model/bridged.hpp"
#include "engine/model/elsewhere.hpp"

namespace tessera::insight {
namespace {

// GPUs count with Kubernetes. What it lends Slurm is Slurm's to hand out, and counts there; where the two may
// hand out the same slices, Kubernetes alone counts them.
using ByNode = std::unordered_map<const Node*, Counted>;

ByNode counted_here(const Model& model, const Cluster& cluster) {
  ByNode all;
  for (const slinky::Machine& machine : slinky::machines(model)) {
    const bool contested = slinky::contested(machine) > 0;
    if (machine.slurm == &cluster) all[machine.slurm_node] = {false, !contested, 0};
    if (machine.kubernetes.cluster != &cluster || contested) continue;
    // Holders that are not read yet count nowhere.
    const Node& node = *machine.kubernetes.node;
    Counted& counted = all[&node];
    counted.lent = std::min(counted.lent + slinky::lent(machine), node.counts.held);
  }
  return all;
}

}  // namespace

Totals totals(const Model& model, const Cluster& cluster) {
  if (!slinky::may_join(model)) return totals(cluster);
  const ByNode here = counted_here(model, cluster);
  const auto counted = [&](const Node& node) {
    const auto found = here.find(&node);
    return found == here.end() ? Counted() : found->second;
  };
  return totals(cluster, {counted, [&](const Workload& workload) {
                            return !slinky::is_told_by_pods(model, cluster, workload);
                          }});
}

}  // namespace tessera::insight
