#include "engine/usage/silent.hpp"

namespace tessera::usage {

bool work_is_silent(const Cluster& cluster, TimePoint at, Duration longest) {
  for (Source source : {Source::simulator, Source::slurm_jobs, Source::kubernetes_pods}) {
    const auto told = cluster.sources.find(source);
    if (told == cluster.sources.end() || !told->second.failure) continue;
    if (!told->second.last_ok || at - *told->second.last_ok > longest) return true;
  }
  return false;
}

}  // namespace tessera::usage
