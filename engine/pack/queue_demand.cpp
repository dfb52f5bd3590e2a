#include "engine/pack/queue_demand.hpp"

#include <algorithm>
#include <map>

#include "engine/pack/whole.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::pack {
namespace {

constexpr std::int64_t kMostWanted = 100'000'000;

// A Slurm job may name several partitions: "gpu,long".
bool is_of(const Workload& workload, const std::string& partition) {
  return partition.empty() || ("," + workload.group + ",").find("," + partition + ",") != std::string::npos;
}

// Names by which a node hands out something else than an uncut GPU: instances (strategy single), shares.
std::set<std::string> names_of_parts(const Cluster& cluster, const mig::Catalogue& catalogue) {
  std::set<std::string> names;
  for (const Node& node : cluster.nodes.all())
    plan::each_named_slice(cluster, node, catalogue, [&](const Slice& slice, const std::string& name) {
      if (slice.kind != SliceKind::whole_gpu || slice.capacity != 1) names.insert(name);
    });
  return names;
}

// What may be counted as whole GPUs.
class Whole {
 public:
  Whole(const Cluster& cluster, const mig::Catalogue* catalogue)
      : scheduler_(cluster.scheduler), counted_(catalogue != nullptr) {
    if (catalogue) parts_ = names_of_parts(cluster, *catalogue);
  }
  bool operator()(const Request& request, const sharing::ResourceName& name) const {
    if (!counted_ || name.kind != sharing::ResourceKind::gpu || name.shared || name.claimed) return false;
    if (sharing::amd::is_amd_model(name.type)) return false;
    return !parts_.contains(request.resource) && (scheduler_ == Scheduler::kubernetes || !name.type.empty());
  }

 private:
  Scheduler scheduler_;
  bool counted_;
  std::set<std::string> parts_;
};

// The slices and whole GPUs that it asks for; empty: it asks for something else, too.
std::map<std::string, std::int64_t> slices_of(const Workload& workload, Scheduler scheduler,
                                              const Whole& whole) {
  std::map<std::string, std::int64_t> slices;
  for (const Request& request : workload.requests) {
    if (request.count <= 0) continue;
    const auto name = sharing::parse_resource(request.resource, scheduler);
    if (name && whole(request, *name)) {
      slices[std::string(kWhole)] += request.count;
      continue;
    }
    if (!name || name->kind != sharing::ResourceKind::instance || !name->profile || name->shared) return {};
    slices[name->profile->text] += request.count;
  }
  return slices;
}

}  // namespace

QueueDemand demand_of_queue(const Cluster& cluster, const std::string& partition, const mig::Catalogue* whole,
                            const std::set<WorkloadId>* only) {
  QueueDemand found;
  std::map<std::string, std::int64_t> sums;
  const Whole whole_gpu(cluster, whole);
  for (const Workload& workload : cluster.workloads.all()) {
    if (workload.state != WorkloadState::pending || workload.requests.empty() || !is_of(workload, partition))
      continue;
    if (only && !only->contains(workload.id)) continue;
    if (!plan::waits_for_room(workload, cluster.scheduler)) {
      ++found.kept;
      continue;
    }
    const auto slices = slices_of(workload, cluster.scheduler, whole_gpu);
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
