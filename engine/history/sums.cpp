#include "engine/history/sums.hpp"

#include "engine/insight/available.hpp"
#include "engine/insight/totals.hpp"

namespace tessera::history {

std::optional<Sums> sums_of(const Cluster& cluster, TimePoint at) {
  if (!cluster.loaded || !insight::nodes_are_current(cluster) || !insight::work_is_current(cluster))
    return std::nullopt;
  const insight::Totals totals = insight::totals(cluster);
  if (totals.slices == 0) return std::nullopt;
  Sums sums{at, 100.0F * static_cast<float>(totals.held) / static_cast<float>(totals.slices), {}};
  if (totals.measured > 0) sums.used = static_cast<float>(totals.used / totals.measured);
  return sums;
}

}  // namespace tessera::history
