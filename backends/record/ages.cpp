#include "backends/record/ages.hpp"

namespace tessera::record {
namespace {

// A source that looks at one node after the other says nothing of the others.
void date(Origin& origin, const Cluster& cluster) {
  if (!tells_nodes(origin.source) && !tells_work(origin.source)) return;
  const auto told = cluster.sources.find(origin.source);
  if (told != cluster.sources.end() && told->second.last_ok) origin.at = *told->second.last_ok;
}

}  // namespace

void date_by_answers(Cluster& cluster) {
  cluster.nodes.change_each([&](Node& node) {
    date(node.origin, cluster);
    for (Gpu& gpu : node.gpus) date(gpu.origin, cluster);
  });
  cluster.workloads.change_each([&](Workload& work) { date(work.origin, cluster); });
}

}  // namespace tessera::record
