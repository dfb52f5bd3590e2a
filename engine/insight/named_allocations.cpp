#include "engine/insight/named_allocations.hpp"

#include <string>
#include <utility>

namespace tessera::insight {
namespace {

// Empty: it is no instance, or not told.
std::string instance_held(const Node& node, const DeviceShare& device) {
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices)
      if (slice.device == device.device && slice.kind == SliceKind::gpu_instance) return slice.profile.text;
  return {};
}

bool lacks_names(const Allocation& held) {
  return held.family == Family::gpu && held.type.empty() && !held.devices.empty() &&
         (held.count == 0 || std::cmp_equal(held.count, held.devices.size()));
}

}  // namespace

std::vector<Allocation> named_allocations(const Cluster& cluster, const Workload& workload) {
  std::vector<Allocation> named;
  for (const Allocation& one : workload.allocations) {
    const Node* node = lacks_names(one) ? cluster.nodes.find(one.node) : nullptr;
    if (!node) {
      named.push_back(one);
      continue;
    }
    for (const DeviceShare& device : one.devices)
      named.push_back({one.node, one.family, instance_held(*node, device), 1, {device}});
  }
  return named;
}

}  // namespace tessera::insight
