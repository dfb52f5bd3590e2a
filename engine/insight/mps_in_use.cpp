#include "engine/insight/mps_in_use.hpp"

#include <algorithm>

namespace tessera::insight {
namespace {

// What its allocation on the node is of; a job that is not listed may have MPS.
bool has_mps(const Cluster& cluster, const Node& node, const Holder& holder) {
  const Workload* work = cluster.workloads.find(holder.workload);
  return work == nullptr ||
         std::any_of(work->allocations.begin(), work->allocations.end(), [&](const Allocation& one) {
           return one.node == node.name && one.family == Family::mps;
         });
}

enum class Use : std::uint8_t { none, maybe, certain };

Use use_of_mps(const Cluster& cluster, const Node& node, const Slice& slice) {
  if (slice.kind != SliceKind::mps) return Use::none;
  if (slice.holders.empty()) return slice.told_held ? Use::maybe : Use::none;
  const bool mps = std::any_of(slice.holders.begin(), slice.holders.end(),
                               [&](const Holder& holder) { return has_mps(cluster, node, holder); });
  if (!mps) return Use::none;
  return slice.exact ? Use::certain : Use::maybe;
}

}  // namespace

std::vector<const Gpu*> gpus_whose_mps_is_in_use(const Cluster& cluster, const Node& node) {
  std::vector<const Gpu*> certain;
  if (cluster.scheduler != Scheduler::slurm) return certain;
  const Gpu* maybe = nullptr;
  for (const Gpu& gpu : node.gpus) {
    Use use = Use::none;
    for (const Slice& slice : gpu.slices) use = std::max(use, use_of_mps(cluster, node, slice));
    if (use == Use::certain) certain.push_back(&gpu);
    if (use == Use::maybe && maybe == nullptr) maybe = &gpu;
  }
  if (certain.empty() && maybe != nullptr) certain.push_back(maybe);
  return certain;
}

}  // namespace tessera::insight
