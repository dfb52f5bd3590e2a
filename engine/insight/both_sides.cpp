#include "engine/insight/both_sides.hpp"

#include "engine/model/bridged_nodes.hpp"

namespace tessera::insight {

Totals totals(const Model& model, const Cluster& cluster) {
  Totals all = totals(cluster);
  if (cluster.scheduler != Scheduler::slurm || !slinky::may_join(model)) return all;
  const slinky::BridgedNodes bridged(model);
  for (const Node& node : cluster.nodes.all()) {
    if (!bridged.of(node) && slinky::kubernetes_side(model, node).join != slinky::Join::joined) continue;
    all.gpus -= static_cast<int>(node.gpus.size());
    for (const Gpu& gpu : node.gpus) --all.gpus_by_strategy[gpu.strategy];
    all.gpus_by_strategy[Strategy::mig] -= static_cast<int>(node.pool.size());
  }
  std::erase_if(all.gpus_by_strategy, [](const auto& entry) { return entry.second <= 0; });
  return all;
}

}  // namespace tessera::insight
