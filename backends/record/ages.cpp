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
  for (const Node& listed : cluster.nodes.all()) {
    Node* node = cluster.nodes.find(listed.name);
    date(node->origin, cluster);
    for (Gpu& gpu : node->gpus) date(gpu.origin, cluster);
  }
  for (const Workload& listed : cluster.workloads.all())
    date(cluster.workloads.find(listed.id)->origin, cluster);
}

}  // namespace tessera::record
