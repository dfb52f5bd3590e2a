// AMD's GPUs: what their names say, and that no plan touches them.
#include "engine/sharing/amd.hpp"

#include <gtest/gtest.h>

#include "engine/insight/worth.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::sharing::amd {
namespace {

TEST(Amd, AModeIsReadAsLabelsAndResourcesSpellIt) {
  EXPECT_EQ(parse_mode("cpx_nps4"), "CPX/NPS4");
  EXPECT_EQ(parse_mode("SPX/NPS1"), "SPX/NPS1");
  for (const char* other :
       {"", "cpx", "cpx_nps3", "xpx_nps1", "cpx-nps4", "cpx_nps4 ", "cpx_nps44", "\x1b[2J_nps1"})
    EXPECT_EQ(parse_mode(other), std::nullopt) << other;
  EXPECT_EQ(mode_of_resource("amd.com/dpx_nps2"), "DPX/NPS2");
  EXPECT_EQ(mode_of_resource("amd.com/gpu"), std::nullopt);
  EXPECT_EQ(mode_of_resource("nvidia.com/cpx_nps4"), std::nullopt);
  EXPECT_EQ(mode_of_resource("amd.com//cpx_nps4"), std::nullopt);
}

TEST(Amd, HowManyPartitionsAGpuHasFollowsFromTheModelAndIsNotGuessed) {
  EXPECT_EQ(partitions("CPX/NPS4", "AMD Instinct MI300X OAM"), 8);
  EXPECT_EQ(partitions("QPX/NPS1", "amd_instinct_mi300x"), 4);
  EXPECT_EQ(partitions("DPX/NPS1", "mi355x"), 2);
  EXPECT_EQ(partitions("CPX/NPS1", "AMD Instinct MI300A"), 6);
  EXPECT_EQ(partitions("TPX/NPS1", "AMD Instinct MI300A"), 3);
  EXPECT_EQ(partitions("QPX/NPS1", "AMD Instinct MI300A"), std::nullopt) << "six dies make no four";
  EXPECT_EQ(partitions("CPX/NPS1", "AMD Instinct MI308X"), std::nullopt) << "not known of this model";
  EXPECT_EQ(partitions("CPX/NPS1", ""), std::nullopt);
  EXPECT_EQ(partitions("SPX/NPS1", "whatever"), 1);
  EXPECT_EQ(has_modes("AMD Instinct MI210"), false);
  EXPECT_EQ(has_modes("AMD Radeon Pro W7900"), std::nullopt);
}

TEST(Amd, ItsGpusAreKnownByTheirNamesAndNvidiasAreNot) {
  for (const char* model : {"AMD Instinct MI300X OAM", "AMD_Instinct_MI210", "mi300x", "amd_radeon_pro_w7900",
                            "Radeon RX 7900 XTX", "AMD GPU", "gfx_mi250x"})
    EXPECT_TRUE(is_amd_model(model)) << model;
  for (const char* model : {"NVIDIA H100 80GB HBM3", "h100", "a100_1g.10gb", "Tesla V100-SXM2-16GB", "",
                            "mig", "NVIDIA RTX PRO 6000", "mi", "mi3", "mini100", "mi3000x", "amdahl"})
    EXPECT_FALSE(is_amd_model(model)) << model;
}

TEST(Amd, ItsResourcesAreGpusAndNeverNvidias) {
  for (const char* resource : {"amd.com/gpu", "amd.com/cpx_nps4"}) {
    const auto name = parse_resource(resource, Scheduler::kubernetes);
    ASSERT_TRUE(name) << resource;
    EXPECT_EQ(name->kind, ResourceKind::other_gpu);
    EXPECT_TRUE(hands_out_gpus(resource));
    EXPECT_NE(name, parse_resource("nvidia.com/gpu", Scheduler::kubernetes));
  }
  EXPECT_NE(parse_resource("amd.com/gpu", Scheduler::kubernetes),
            parse_resource("amd.com/cpx_nps4", Scheduler::kubernetes));
  EXPECT_FALSE(parse_resource("amd.com/vnic", Scheduler::kubernetes)) << "AMD's network cards";
  EXPECT_FALSE(hands_out_gpus("amd.com/nic"));
}

Gpu board(const std::string& mode, int parts) {
  Gpu gpu;
  gpu.model = "AMD Instinct MI300X";
  gpu.partition_mode = mode;
  gpu.strategy = parts > 1 ? Strategy::unknown : Strategy::whole;
  Slice slice;
  if (parts > 1) slice.kind = SliceKind::gpu_instance, slice.profile = ProfileName(mode);
  gpu.slices.assign(static_cast<std::size_t>(parts), slice);
  return gpu;
}

TEST(Amd, EightPartitionsAreWorthOneGpuAlsoWhereItIsNotToldWhichTheyAre) {
  const mig::Catalogue catalogue;
  Cluster cluster;
  Node node;
  node.name = NodeName("n");
  node.gpus = {board("CPX/NPS1", 8), board("CPX/NPS1", 8)};
  cluster.nodes.upsert(node);
  Workload pod;
  pod.allocations = {{node.name, Family::gpu, "", 8, {}}};
  EXPECT_EQ(insight::gpus_worth(cluster, pod, catalogue), 1.0);
  pod.allocations = {{node.name, Family::gpu, "CPX/NPS1", 4, {}}};
  EXPECT_EQ(insight::gpus_worth(cluster, pod, catalogue), 0.5);
  // Unlike GPUs beside each other: untyped, a device may be an eighth or all of one.
  node.gpus = {board("CPX/NPS1", 8), board("SPX/NPS1", 1)};
  cluster.nodes.upsert(node);
  pod.allocations = {{node.name, Family::gpu, "", 1, {}}};
  EXPECT_EQ(insight::gpus_worth(cluster, pod, catalogue), std::nullopt);
  EXPECT_EQ(insight::part_of(&node.gpus[0], node.gpus[0].slices[0], 1, catalogue), 0.125);
  EXPECT_EQ(insight::part_of(nullptr, node.gpus[0].slices[0], 1, catalogue), std::nullopt);
}

TEST(Amd, AReasonAndAWayOutAreToldForEachScheduler) {
  Node node;
  node.name = NodeName("n1");
  EXPECT_EQ(why_not_planned(node, Scheduler::kubernetes), std::nullopt);
  node.gpus = {board("SPX/NPS1", 1)};
  const auto kubernetes = why_not_planned(node, Scheduler::kubernetes);
  ASSERT_TRUE(kubernetes);
  EXPECT_EQ(kubernetes->reason, "it has GPUs of AMD: AMD partition modes are shown, not planned");
  EXPECT_NE(kubernetes->hint.find("kubectl label node n1 dcm.amd.com/gpu-config-profile=PROFILE"),
            std::string::npos);
  const auto slurm = why_not_planned(node, Scheduler::slurm);
  ASSERT_TRUE(slurm);
  EXPECT_NE(slurm->hint.find("amd-smi set"), std::string::npos);
  node.gpus.clear();
  node.allocatable = {{"amd.com/gpu", 8}};
  EXPECT_TRUE(why_not_planned(node, Scheduler::kubernetes)) << "by what it hands out alone";
}

}  // namespace
}  // namespace tessera::sharing::amd
