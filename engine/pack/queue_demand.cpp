#include "engine/pack/queue_demand.hpp"

#include <algorithm>
#include <map>

#include "engine/plan/effect/queue.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::pack {
namespace {

constexpr std::int64_t kMostWanted = 100'000'000;

// A Slurm job may name several partitions: "gpu,long".
bool is_of(const Workload& workload, const std::string& partition) {
  return partition.empty() || ("," + workload.group + ",").find("," + partition + ",") != std::string::npos;
}

// The slices that it asks for; empty: it asks for something else, too.
std::map<std::string, std::int64_t> slices_of(const Workload& workload, Scheduler scheduler) {
  std::map<std::string, std::int64_t> slices;
  for (const Request& request : workload.requests) {
    if (request.count <= 0) continue;
    const auto name = sharing::parse_resource(request.resource, scheduler);
    if (!name || name->kind != sharing::ResourceKind::instance || !name->profile || name->shared) return {};
    slices[name->profile->text] += request.count;
  }
  return slices;
}

}  // namespace

QueueDemand demand_of_queue(const Cluster& cluster, const std::string& partition,
                            const std::set<WorkloadId>* only) {
  QueueDemand found;
  std::map<std::string, std::int64_t> sums;
  for (const Workload& workload : cluster.workloads.all()) {
    if (workload.state != WorkloadState::pending || workload.requests.empty() || !is_of(workload, partition))
      continue;
    if (only && !only->contains(workload.id)) continue;
    if (!plan::waits_for_room(workload, cluster.scheduler)) {
      ++found.kept;
      continue;
    }
    const auto slices = slices_of(workload, cluster.scheduler);
    ++(slices.empty() ? found.other : found.workloads);
    if (!slices.empty()) found.ids.push_back(workload.id);
    for (const auto& [profile, count] : slices) sums[profile] += count;
  }
  for (const auto& [profile, count] : sums)
    found.demand.push_back(
        {ProfileName(profile), std::nullopt, static_cast<int>(std::min(count, kMostWanted))});
  return found;
}

}  // namespace tessera::pack
