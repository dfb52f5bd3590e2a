#include "tui/world.hpp"

#include <algorithm>
#include <vector>

namespace tessera::tui {
void World::learn(Event event) {
  const ClusterName name = event.cluster;
  if (std::holds_alternative<ClockSet>(event.what)) {
    const auto [clock, first] = clocks.try_emplace(name, event.at);
    if (!first && event.at < clock->second) history = {}, watched = {};
    clock->second = event.at;
  }
  const std::vector<NodeName> measured = history::nodes_measured_by(event);
  reduce(model, std::move(event));
  const Cluster* cluster = model.find(name);
  for (const NodeName& node : measured)
    if (cluster) history.take(*cluster, node);
}

void World::watch(const ClusterName& cluster, const NodeName& node) {
  std::pair now(cluster, node);
  if (now == watched) return;
  if (!watched.second.empty()) history.watch(watched.first, watched.second, false);
  watched = std::move(now);
  if (!watched.second.empty()) history.watch(watched.first, watched.second, true);
}

void World::expect(const ClusterName& cluster) {
  if (!model.find(cluster)) model.clusters.emplace_back().name = cluster;
}

std::size_t World::loaded() const {
  return static_cast<std::size_t>(std::count_if(model.clusters.begin(), model.clusters.end(),
                                                [](const Cluster& cluster) { return cluster.loaded; }));
}

void World::follow(const World& other) {
  model.revision = std::max(model.revision, other.model.revision) + 1;
}

}  // namespace tessera::tui
