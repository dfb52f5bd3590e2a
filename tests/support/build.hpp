// Short ways to say "a node with two GPUs, on one of which alice runs": values for tests.
#pragma once

#include <string>
#include <vector>

#include "engine/model/reduce.hpp"

namespace tessera::test {

inline TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(1'800'000'000 + seconds)); }

inline Slice whole(int device) {
  Slice slice;
  slice.device = device;
  return slice;
}

inline Slice instance(const std::string& profile, int start, int size, int device) {
  Slice slice;
  slice.kind = SliceKind::gpu_instance;
  slice.profile = ProfileName(profile);
  slice.placement = Placement{start, size};
  slice.device = device;
  return slice;
}

inline Slice shared(SliceKind kind, int capacity, int device) {
  Slice slice;
  slice.kind = kind;
  slice.capacity = capacity;
  slice.device = device;
  return slice;
}

inline Gpu gpu(int index, Strategy strategy, std::vector<Slice> slices) {
  Gpu gpu;
  gpu.index = GpuIndex{index};
  gpu.model = "NVIDIA H100 80GB HBM3";
  gpu.product = ProductKey("H100-80GB-SXM5");
  gpu.strategy = strategy;
  gpu.memory = Mib{81559};
  gpu.slices = std::move(slices);
  return gpu;
}

inline Node node(const std::string& name, std::vector<Gpu> gpus) {
  Node node;
  node.name = NodeName(name);
  node.state = {"IDLE"};
  node.health = Health::ok;
  node.gpus = std::move(gpus);
  return node;
}

inline Workload running(const std::string& id, const std::string& user, std::vector<Allocation> allocations) {
  Workload workload;
  workload.id = WorkloadId(id);
  workload.name = "train";
  workload.user = user;
  workload.state = WorkloadState::running;
  workload.started = at(-3600);
  workload.allocations = std::move(allocations);
  return workload;
}

inline Workload waiting(const std::string& id, const std::string& user, const std::string& resource) {
  Workload workload;
  workload.id = WorkloadId(id);
  workload.name = "queued";
  workload.user = user;
  workload.state = WorkloadState::pending;
  workload.submitted = at(-600);
  workload.reason = "Resources";
  workload.requests = {{resource, 1}};
  return workload;
}

inline Allocation holds(const std::string& node, std::vector<DeviceShare> devices,
                        Family family = Family::gpu) {
  Allocation allocation;
  allocation.node = NodeName(node);
  allocation.family = family;
  allocation.count = static_cast<int>(devices.size());
  allocation.devices = std::move(devices);
  return allocation;
}

inline Allocation holds_some(const std::string& node, const std::string& type, int count,
                             Family family = Family::gpu) {
  Allocation allocation;
  allocation.node = NodeName(node);
  allocation.family = family;
  allocation.type = type;
  allocation.count = count;
  return allocation;
}

// A model fed by events on one cluster named "hpc".
class Story {
 public:
  Model model;

  template <class What>
  Changes tell(What what, int seconds = 0, std::uint64_t generation = 0) {
    return reduce(model, Event{ClusterName("hpc"), generation, at(seconds), std::move(what)});
  }
  const Cluster& cluster() const { return *model.find(ClusterName("hpc")); }
  const Node& node(const std::string& name) const { return *cluster().nodes.find(NodeName(name)); }
  const Slice& slice(const std::string& name, std::size_t gpu, std::size_t index) const {
    return node(name).gpus.at(gpu).slices.at(index);
  }
};

}  // namespace tessera::test
