#include "engine/fleet/early.hpp"

#include <algorithm>

#include "engine/plan/effect/usual.hpp"

namespace tessera::fleet {

Early early(const Cluster& cluster, const plan::NodePlan& node, TimePoint opening, Duration lead, int turns) {
  Early result;
  result.steps = turns * plan::usual(node);
  for (const plan::Disturbed& one : node.blast_radius) {
    const Workload* work = one.id.text.empty() ? nullptr : cluster.workloads.find(one.id);
    if (!work || !work->started || !work->ends || *work->ends < *work->started) return result;
    result.limit = std::max(result.limit, Duration(*work->ends - *work->started));
  }
  const Duration wanted = result.limit + result.steps;
  result.capped = wanted > lead;
  result.begin = opening - std::min(wanted, lead);
  return result;
}

}  // namespace tessera::fleet
