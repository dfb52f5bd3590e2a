#include "tui/world.hpp"

#include <algorithm>
#include <vector>

#include "engine/history/sums.hpp"

namespace tessera::tui {
void World::learn(Event event) {
  const ClusterName name = event.cluster;
  if (std::holds_alternative<ClockSet>(event.what)) {
    const auto [clock, first] = clocks.try_emplace(name, event.at);
    if (!first && event.at < clock->second) forget(name);
    clock->second = event.at;
  }
  const std::vector<NodeName> measured = history::nodes_measured_by(event);
  const bool whole = std::holds_alternative<Loaded>(event.what);
  const TimePoint at = event.at;
  reduce(model, std::move(event));
  const Cluster* cluster = model.find(name);
  if (!cluster) return;
  for (const NodeName& node : measured) history.take(*cluster, node);
  // A moment of a recording is told piece by piece, and counts once all of it is here.
  if (whole || !cluster->recorded) sum_up(*cluster, at);
}

// What was measured of the others has its own time.
void World::forget(const ClusterName& cluster) {
  history.forget(cluster);
  summed.erase(cluster);
  kept_sums.erase(cluster);
  std::erase_if(watched, [&](const auto& one) { return one.first == cluster; });
}

void World::sum_up(const Cluster& cluster, TimePoint at) {
  if (!cluster.loaded) return;
  const auto [last, first] = summed.try_emplace(cluster.name, at);
  if (!first && at < last->second + history::kSumsEvery) return;
  last->second = at;
  if (const auto sums = history::sums_of(model, cluster, at)) history.take(cluster.name, *sums);
  join_kept_sums(cluster);
}

void World::keep(const ClusterName& name, history::SumsBefore kept) {
  kept_sums.insert_or_assign(name, std::move(kept));
  if (const Cluster* cluster = model.find(name); cluster && cluster->loaded) join_kept_sums(*cluster);
}

// Where a source counts otherwise the chart begins with the console.
void World::join_kept_sums(const Cluster& cluster) {
  const auto kept = kept_sums.find(cluster.name);
  if (kept == kept_sums.end()) return;
  const std::vector<history::Sample> seen = history.sums(cluster.name);
  if (seen.empty()) return;
  const history::Sums first{seen.front().at, seen.front().held, seen.front().use};
  if (history::count_alike(cluster, kept->second, first))
    history.take_before(cluster.name, kept->second.sums);
  kept_sums.erase(kept);
}

void World::watch(const ClusterName& cluster, std::span<const NodeName> nodes) {
  for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
    std::pair now(cluster, *node);
    std::erase(watched, now);
    history.watch(cluster, *node, true);  // also one that was gone meanwhile
    watched.push_front(std::move(now));
  }
  for (; watched.size() > kMostWatched; watched.pop_back())
    history.watch(watched.back().first, watched.back().second, false);
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
