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

bool tells_nodes(Source source) {
  return source == Source::simulator || source == Source::slurm_nodes || source == Source::kubernetes_nodes;
}

bool tells_work(Source source) {
  return source == Source::simulator || source == Source::slurm_jobs || source == Source::kubernetes_pods;
}

std::optional<std::string> work_untold(const Cluster& cluster) {
  bool nodes = false, work = false;
  for (const auto& [source, health] : cluster.sources) {
    nodes |= tells_nodes(source) && health.last_ok;
    if (!tells_work(source)) continue;
    if (health.incomplete) return health.note;
    if (health.last_ok) work = true;
    if (!health.last_ok && health.failure) return to_line(*health.failure);
  }
  if (nodes && !work) return "the list of jobs or pods has not been read yet";
  return std::nullopt;
}

std::optional<TimePoint> last_told(const Cluster& cluster) {
  std::optional<TimePoint> last;
  for (const auto& [source, health] : cluster.sources)
    if ((tells_nodes(source) || tells_work(source)) && health.last_ok)
      last = std::max(last.value_or(*health.last_ok), *health.last_ok);
  return last;
}

std::optional<Duration> data_age(const Cluster& cluster, TimePoint wall) {
  std::optional<TimePoint> oldest;
  for (const auto& [source, health] : cluster.sources) {
    if (!(tells_nodes(source) || tells_work(source)) || !health.last_ok) continue;
    oldest = oldest ? std::min(*oldest, *health.last_ok) : *health.last_ok;
  }
  if (!oldest) return std::nullopt;
  return std::max(Duration{0}, Duration(cluster_now(cluster, wall) - *oldest));
}

}  // namespace tessera
