#include "engine/model/model.hpp"

#include <algorithm>

namespace tessera {

const Cluster* Model::find(const ClusterName& name) const {
  for (const Cluster& cluster : clusters)
    if (cluster.name == name) return &cluster;
  return nullptr;
}

Cluster* Model::find(const ClusterName& name) {
  return const_cast<Cluster*>(static_cast<const Model*>(this)->find(name));
}

TimePoint cluster_now(const Cluster& cluster, TimePoint wall) {
  if (!cluster.clock) return wall;
  const Clock& clock = *cluster.clock;
  double passed = static_cast<double>((wall - clock.wall).count()) * clock.speed;
  return clock.at + Duration(static_cast<Duration::rep>(passed));
}

std::optional<Duration> data_age(const Cluster& cluster, TimePoint wall) {
  std::optional<TimePoint> oldest;
  for (const auto& [source, health] : cluster.sources) {
    bool should_be_fresh = source == Source::simulator || source == Source::slurm_nodes ||
                           source == Source::slurm_jobs || source == Source::kubernetes_nodes ||
                           source == Source::kubernetes_pods;
    if (!should_be_fresh || !health.last_ok) continue;
    oldest = oldest ? std::min(*oldest, *health.last_ok) : *health.last_ok;
  }
  if (!oldest) return std::nullopt;
  return std::max(Duration{0}, Duration(cluster_now(cluster, wall) - *oldest));
}

}  // namespace tessera
