// GPUs of AMD in a scenario: as the simulator shows them, and as its API server tells them, read as those of
// a real cluster are.
#include <gtest/gtest.h>

#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/sharing_of.hpp"
#include "backends/sim/gpu_operator/project/project.hpp"
#include "backends/sim/scenario/scenario.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim {
namespace {

std::string error_of(std::string_view text) {
  Result<ScenarioPtr> scenario = parse_scenario(text, "s.yaml", test::shared_catalogue());
  return scenario ? "" : scenario.error().reason;
}

std::string with_partition(std::string_view more) {
  return "clusters:\n  - name: c\n    scheduler: kubernetes\n    users: [ann]\n    nodes:\n"
         "      - {names: n1, gpus: 2, product: MI300X, model: AMD Instinct MI300X, memory_mib: 196608, " +
         std::string(more) + "}\n";
}

TEST(AmdScenario, WhatIsShownIsWhatTheApiServerTells) {
  const World world = worlds_of("amd")[0];
  const Model model = model_of(world);
  int partitioned = 0;
  for (std::uint32_t i = 0; i < world.nodes.size(); ++i) {
    const kube::Projected told = kube::project_node(world, i, true);
    const auto object = kubernetes::Parser().object<kubernetes::NodeObject>(to_line(told.second));
    ASSERT_TRUE(object);
    const Node live =
        kubernetes::node_of(*object, kubernetes::sharing_of(*object, world.scenario->catalogue.get()), true,
                            {Source::kubernetes_nodes, TimePoint{}});
    const Node& shown = *model.clusters[0].nodes.find(live.name);
    EXPECT_EQ(live.allocatable, shown.allocatable) << live.name.text;
    EXPECT_EQ(live.driver, shown.driver);
    if (!live.allocatable->contains("amd.com/gpu")) continue;
    ASSERT_EQ(live.gpus.size(), 8u) << live.name.text;
    ASSERT_EQ(shown.gpus.size(), 8u);
    for (std::size_t gpu = 0; gpu < 8; ++gpu) {
      EXPECT_EQ(live.gpus[gpu].partition_mode, shown.gpus[gpu].partition_mode);
      EXPECT_EQ(live.gpus[gpu].strategy, shown.gpus[gpu].strategy);
      EXPECT_EQ(live.gpus[gpu].memory, shown.gpus[gpu].memory);
      EXPECT_EQ(live.gpus[gpu].model, shown.gpus[gpu].model);
      EXPECT_EQ(live.gpus[gpu].slices.size(), shown.gpus[gpu].slices.size());
      partitioned += live.gpus[gpu].slices.size() == 8;
    }
    EXPECT_EQ(object->label("nvidia.com/gpu.present"), "") << "no part of NVIDIA's runs there";
  }
  EXPECT_EQ(partitioned, 8);
}

TEST(AmdScenario, APartitionIsOfAModelWhosePartitionsAreKnownAndOfKubernetes) {
  EXPECT_EQ(error_of(with_partition("partition: CPX/NPS1")), "");
  EXPECT_NE(error_of(with_partition("partition: CPX/NPS3")).find("a mode like CPX/NPS1"), std::string::npos);
  EXPECT_NE(error_of(with_partition("partition: TPX/NPS1")).find("whose partitions are known"),
            std::string::npos);
  EXPECT_NE(error_of(with_partition("partition: CPX/NPS1, layout: 'mps:4'")).find("without a layout"),
            std::string::npos);
  EXPECT_NE(error_of(with_partition("partition: CPX/NPS1, processes: true")).find("GPUs of NVIDIA"),
            std::string::npos);
  EXPECT_NE(error_of(with_partition("partition: CPX/NPS1, dra: true")).find("without a layout"),
            std::string::npos);
}

}  // namespace
}  // namespace tessera::sim
