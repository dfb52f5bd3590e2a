// A large cluster in memory: 10,000 nodes of 8 GPUs, a quarter of them cut by MIG, 100,000 workloads.
#pragma once

#include <fmt/core.h>

#include <vector>

#include "engine/model/reduce.hpp"

namespace tessera::bench {

inline TimePoint at(int seconds) { return TimePoint(std::chrono::seconds(1'800'000'000 + seconds)); }

inline Slice bench_slice(int board, int start, int size, int device, const char* profile) {
  Slice slice;
  slice.device = device;
  if (board % 4 == 0) {
    slice.kind = SliceKind::gpu_instance;
    slice.profile = ProfileName(profile);
    slice.placement = Placement{start, size};
  }
  return slice;
}

inline Node bench_node(int number) {
  Node node;
  node.name = NodeName(fmt::format("gpu{:05}", number));
  node.state = {number % 50 == 0 ? "DRAINED" : "MIXED"};
  node.health = number % 50 == 0 ? Health::drained : Health::ok;
  node.reason = number % 50 == 0 ? "fan failure" : "";
  node.partitions = {"main", number % 2 ? "long" : "short"};
  node.features = {"h100", "nvl"};
  node.cpus = 128;
  node.origin = {Source::slurm_nodes, at(0)};
  int device = 0;
  for (int board = 0; board < 8; ++board) {
    Gpu gpu;
    gpu.index = GpuIndex{board};
    gpu.model = "NVIDIA H100 80GB HBM3";
    gpu.uuid = fmt::format("GPU-{:08x}-0000-0000-0000-{:012x}", number, board);
    gpu.product = ProductKey("H100-80GB-SXM5");
    gpu.memory = Mib{81559};
    gpu.telemetry.use = Percent{static_cast<float>((number * 7 + board * 13) % 100)};
    gpu.telemetry.origin = {Source::nvidia_smi, at(0)};
    gpu.strategy = board % 4 == 0 ? Strategy::mig : Strategy::whole;
    if (gpu.strategy == Strategy::mig) {
      gpu.slices.push_back(bench_slice(board, 0, 1, device++, "1g.10gb"));
      gpu.slices.push_back(bench_slice(board, 2, 2, device++, "2g.20gb"));
      gpu.slices.push_back(bench_slice(board, 4, 4, device++, "3g.40gb"));
    } else {
      gpu.slices.push_back(bench_slice(board, 0, 8, device++, ""));
    }
    node.gpus.push_back(std::move(gpu));
  }
  return node;
}

inline Workload bench_workload(int number, int nodes) {
  Workload workload;
  workload.id = WorkloadId(std::to_string(1'000'000 + number));
  workload.name = fmt::format("train-{}-sweep", number % 977);
  workload.user = fmt::format("user{:03}", number % 400);
  workload.group = number % 2 ? "long" : "short";
  workload.submitted = at(-number % 100000);
  workload.requests = {{"gpu:h100", 1}};
  workload.origin = {Source::slurm_jobs, at(0)};
  if (number % 10 == 9) {
    workload.state = WorkloadState::pending;
    workload.state_word = "PENDING";
    workload.reason = "Resources";
    return workload;
  }
  workload.state = WorkloadState::running;
  workload.state_word = "RUNNING";
  workload.started = at(-number % 50000);
  Allocation allocation;
  allocation.node = NodeName(fmt::format("gpu{:05}", number % nodes));
  allocation.count = 1;
  allocation.devices = {{number / nodes % 12, 1}};
  workload.allocations.push_back(std::move(allocation));
  return workload;
}

inline Event event(auto what) { return Event{ClusterName("hpc"), 0, at(0), std::move(what)}; }

inline Model large_model(int nodes = 10'000, int workloads = 100'000) {
  Model model;
  NodesListed node_list;
  for (int i = 0; i < nodes; ++i) node_list.nodes.push_back(bench_node(i));
  reduce(model, event(std::move(node_list)));
  WorkloadsListed workload_list;
  for (int i = 0; i < workloads; ++i) workload_list.workloads.push_back(bench_workload(i, nodes));
  reduce(model, event(std::move(workload_list)));
  reduce(model, event(Loaded{}));
  return model;
}

}  // namespace tessera::bench
