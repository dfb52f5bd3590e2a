#include "engine/history/sums.hpp"

#include "engine/insight/available.hpp"
#include "engine/insight/both_sides.hpp"
#include "engine/insight/totals.hpp"

namespace tessera::history {

namespace {

bool is_current(const Cluster& cluster) {
  return cluster.loaded && insight::nodes_are_current(cluster) && insight::work_is_current(cluster);
}

std::optional<Sums> sums_from(const insight::Totals& totals, TimePoint at) {
  if (totals.slices == 0) return std::nullopt;
  Sums sums{at, 100.0F * static_cast<float>(totals.held) / static_cast<float>(totals.slices), {}};
  if (totals.measured > 0) sums.used = static_cast<float>(totals.used / totals.measured);
  return sums;
}

}  // namespace

std::optional<Sums> sums_of(const Cluster& cluster, TimePoint at) {
  return is_current(cluster) ? sums_from(insight::totals(cluster), at) : std::nullopt;
}
std::optional<Sums> sums_of(const Model& model, const Cluster& cluster, TimePoint at) {
  return is_current(cluster) ? sums_from(insight::totals(model, cluster), at) : std::nullopt;
}
std::optional<Sums> sums_in(const Cluster& cluster, const insight::Totals& totals, TimePoint at) {
  return is_current(cluster) ? sums_from(totals, at) : std::nullopt;
}

}  // namespace tessera::history
