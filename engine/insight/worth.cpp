#include "engine/insight/worth.hpp"

#include <algorithm>

#include "engine/mig/product_of.hpp"

namespace tessera::insight {

std::optional<Mib> memory_of(const Gpu& gpu, const Slice& slice, const mig::Catalogue& catalogue) {
  if (slice.kind != SliceKind::gpu_instance) return gpu.memory;
  const mig::Product* product = mig::product_of(gpu, catalogue);
  const mig::Profile* profile = product ? product->find(slice.profile.view()) : nullptr;
  if (!profile) return std::nullopt;
  if (profile->memory) return profile->memory;
  if (!gpu.memory || product->units <= 0) return std::nullopt;
  return Mib{gpu.memory->value * profile->memory_slices / product->units};
}

namespace {

// Of one that has a single holder this is all of it.
std::optional<double> of_shares(const Slice& slice, int share) {
  if (slice.capacity == 1) return 1.0;
  if (slice.capacity <= 0 || share <= 0) return std::nullopt;
  return std::min(1.0, static_cast<double>(share) / slice.capacity);
}

// A 1g instance of seven compute slices is a seventh; AMD's partitions of a GPU are of one size.
std::optional<double> of_instance(const Gpu* gpu, const Slice& slice, const mig::Catalogue& catalogue) {
  if (gpu && !gpu->partition_mode.empty())
    return 1.0 / static_cast<double>(std::max<std::size_t>(1, gpu->slices.size()));
  const mig::Product* product = gpu ? mig::product_of(*gpu, catalogue) : nullptr;
  const mig::Profile* profile = product ? product->find(slice.profile.view()) : nullptr;
  if (!profile || product->compute_slices <= 0) return std::nullopt;
  return static_cast<double>(profile->compute_slices) / product->compute_slices;
}

}  // namespace

std::optional<double> part_of(const Gpu* gpu, const Slice& slice, int share,
                              const mig::Catalogue& catalogue) {
  if (slice.kind == SliceKind::whole_gpu) return 1.0;
  const std::optional<double> all =
      slice.kind == SliceKind::gpu_instance ? of_instance(gpu, slice, catalogue) : std::optional(1.0);
  const std::optional<double> held = of_shares(slice, share);
  return all && held ? std::optional(*all * *held) : std::nullopt;
}

namespace {

std::optional<double> part_of(const Node& node, const Allocation& allocation, const DeviceShare& device,
                              const mig::Catalogue& catalogue) {
  auto is_it = [&](const Slice& slice) { return slice.device == device.device; };
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) {
      if (!is_it(slice)) continue;
      // A whole GPU that is also offered in shares.
      if (allocation.family == Family::gpu && slice.kind != SliceKind::gpu_instance) return 1.0;
      return insight::part_of(&gpu, slice, device.share, catalogue);
    }
  return std::nullopt;
}

}  // namespace

namespace {

// What one of several slices is, where it is not told which they are: each that it may be is as much.
std::optional<double> each_of(const Node& node, const Allocation& allocation) {
  const bool whole = allocation.family == Family::gpu &&
                     node.kinds.strategies == 1U << static_cast<unsigned>(Strategy::whole);
  if (whole) return 1.0;
  std::optional<double> each;
  if (allocation.family != Family::gpu || !node.pool.empty()) return std::nullopt;
  for (const Gpu& gpu : node.gpus) {
    if (gpu.partition_mode.empty() || gpu.slices.empty()) return std::nullopt;
    const std::string& profile = gpu.slices.front().profile.text;
    if (!allocation.type.empty() && profile != allocation.type) continue;
    const double part = 1.0 / static_cast<double>(gpu.slices.size());
    if (each && *each != part) return std::nullopt;
    each = part;
  }
  return each;
}

}  // namespace

std::optional<double> gpus_worth(const Cluster& cluster, const Workload& workload,
                                 const mig::Catalogue& catalogue) {
  double sum = 0;
  for (const Allocation& allocation : workload.allocations) {
    if (allocation.count <= 0 && allocation.devices.empty()) continue;
    const Node* node = cluster.nodes.find(allocation.node);
    if (!node) return std::nullopt;
    if (allocation.devices.empty()) {
      const std::optional<double> each = each_of(*node, allocation);
      if (!each) return std::nullopt;
      sum += *each * allocation.count;
    }
    for (const DeviceShare& device : allocation.devices) {
      const std::optional<double> part = part_of(*node, allocation, device, catalogue);
      if (!part) return std::nullopt;
      sum += *part;
    }
  }
  return sum;
}

}  // namespace tessera::insight
