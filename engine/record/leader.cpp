#include "engine/record/leader.hpp"

#include <algorithm>
#include <optional>

#include "engine/model/recorded.hpp"

namespace tessera::record {
namespace {

// How far it is to what it has recorded that way; nullopt: there is no more.
std::optional<Duration> ahead(const Cluster& cluster, int direction, TimePoint at) {
  const Recorded& all = *cluster.recorded;
  if (direction < 0 ? all.from >= at : all.to <= at) return std::nullopt;
  return std::max(Duration{0}, direction < 0 ? at - all.to : all.from - at);
}

}  // namespace

ClusterName leader(const Model& model, const std::vector<ClusterName>& names, int direction, TimePoint wall) {
  std::vector<const Cluster*> recorded;
  for (const ClusterName& name : names)
    if (const Cluster* cluster = model.find(name); cluster && cluster->recorded) recorded.push_back(cluster);
  if (recorded.empty()) return names.front();
  for (const Cluster* one : recorded)
    if (!recording_failure(*one) && ahead(*one, direction, cluster_now(*one, wall))) return one->name;
  const Cluster* next = nullptr;
  std::optional<Duration> nearest;
  for (const Cluster* one : recorded) {
    const auto far = ahead(*one, direction, cluster_now(*one, wall));
    if (far && (!nearest || *far < *nearest)) nearest = far, next = one;
  }
  if (next) return next->name;
  for (const Cluster* one : recorded)
    if (!recording_failure(*one)) return one->name;
  return recorded.front()->name;
}

}  // namespace tessera::record
