#include "engine/insight/read_whole.hpp"

#include <algorithm>

namespace tessera::insight {

bool is_read_whole(const Cluster& cluster) {
  return cluster.loaded && !work_untold(cluster) &&
         std::none_of(cluster.sources.begin(), cluster.sources.end(), [](const auto& each) {
           const auto& [source, health] = each;
           return tells_nodes(source) && (health.incomplete || (health.failure && !health.last_ok));
         });
}

}  // namespace tessera::insight
