// Shared by the simulator's tests: the catalogue, worlds from a scenario, a model fed with a snapshot.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backends/sim/snapshot.hpp"
#include "backends/sim/world.hpp"
#include "engine/model/reduce.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::sim {

inline constexpr TimePoint kMonday{std::chrono::milliseconds(1772442000000)};  // 2026-03-02T09:00:00Z

inline std::vector<World> worlds_of(const std::string& scenario, std::uint64_t seed = 1) {
  Result<ScenarioPtr> found = find_scenario(scenario, test::shared_catalogue());
  if (!found) ADD_FAILURE() << to_line(found.error());
  Result<std::vector<World>> worlds = make_worlds(*found, seed, kMonday);
  if (!worlds) ADD_FAILURE() << to_line(worlds.error());
  return std::move(*worlds);
}

inline World world_from(std::string_view yaml, std::uint64_t seed = 1) {
  Result<ScenarioPtr> scenario = parse_scenario(yaml, "test.yaml", test::shared_catalogue());
  if (!scenario) ADD_FAILURE() << to_line(scenario.error());
  Result<World> world = make_world(*scenario, 0, seed, kMonday);
  if (!world) ADD_FAILURE() << to_line(world.error());
  return std::move(*world);
}

// Two pods share a GPU by time-slicing: sft trains, kept does nothing.
inline World one_of_two_that_share_trains() {
  return world_from(R"(
clusters:
  - name: c
    scheduler: kubernetes
    users: [u]
    nodes: [{names: n1, product: T4, gpus: 1, layout: "time-slicing:4"}]
    jobs:
      - {name: sft, want: nvidia.com/gpu.shared, runs: 9h, ran: 1h, does: training}
      - {name: kept, want: nvidia.com/gpu.shared, runs: 9h, ran: 1h, does: waste}
)");
}

// Processes of no job, as rounds a minute apart see them for five hours: GPU 0 for three hours, the first
// instance of GPU 1 for one, GPU 2 for one while ana holds it, and GPU 3 for five minutes.
inline World world_with_rogues() {
  return world_from(R"(
clusters:
  - name: hpc
    scheduler: slurm
    users: [ana]
    partitions: [{name: gpu, max_time: 7d}]
    nodes:
      - {names: n1, product: H100-80GB-SXM5, gpus: 4, partitions: [gpu], processes: true,
         layouts: [whole, "3g.40gb@0,3g.40gb@4", whole, whole]}
    jobs:
      - {user: ana, name: train, want: "gpu:h100:1", on: n1/gpu2, does: training, ran: 3h, runs: 2d}
    faults:
      - {at: 1h, do: hide, node: n1, gpu: 0}
      - {at: 4h30s, do: reveal, node: n1, gpu: 0}
      - {at: 2h, do: hide, node: n1, gpu: 1}
      - {at: 3h30s, do: reveal, node: n1, gpu: 1}
      - {at: 1h, do: hide, node: n1, gpu: 2}
      - {at: 2h30s, do: reveal, node: n1, gpu: 2}
      - {at: 1h, do: hide, node: n1, gpu: 3}
      - {at: 1h5m30s, do: reveal, node: n1, gpu: 3}
)");
}

inline Model model_of(const World& world) {
  Model model;
  for (Event& event : snapshot(world, kMonday, 0)) reduce(model, std::move(event));
  return model;
}

inline const Workload* workload_named(const Model& model, std::string_view name) {
  for (const Workload& workload : model.clusters.front().workloads.all())
    if (workload.name == name) return &workload;
  return nullptr;
}

}  // namespace tessera::sim
