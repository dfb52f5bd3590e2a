#include "engine/sharing/limits.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/sharing/sharing_build.hpp"

namespace tessera::sharing {
namespace {

using test::product;

const Limit* find(const std::vector<Limit>& all, const std::string& id) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const Limit& one) { return one.id == id; });
  return found == all.end() ? nullptr : &*found;
}

LimitContext on(const std::string& key, Platform platform) {
  LimitContext context;
  context.product = &product(key);
  context.platform = platform;
  return context;
}

TEST(Versions, AreComparedPartByPart) {
  EXPECT_EQ(compare_versions("550.90.07", "550.90.07"), 0);
  EXPECT_EQ(compare_versions("550.90.07", "550.90.12"), -1);
  EXPECT_EQ(compare_versions("570", "550.90.12"), 1);
  EXPECT_EQ(compare_versions("550", "550.0.0"), 0);
  EXPECT_EQ(compare_versions("R470", "460.73.01"), 1);
  EXPECT_EQ(compare_versions("9.0", "10.0"), -1);
  EXPECT_EQ(compare_versions("535-server", "535.10"), -1);
  EXPECT_FALSE(compare_versions("", "1"));
  EXPECT_FALSE(compare_versions("JetPack", "1"));
  EXPECT_FALSE(compare_versions("99999999999999999999", "1"));
}

// Its sharing component keeps the memory of pods apart: two lines of one leaf must not say the opposite.
TEST(Limits, OnAckMemoryUnderMpsIsKeptApart) {
  const auto here = limits(Strategy::mps, on("A10", Platform::ack));
  ASSERT_NE(find(here, "mps-memory"), nullptr);
  EXPECT_EQ(find(here, "mps-memory")->text.find("not isolated"), std::string::npos);
  EXPECT_NE(find(here, "mps-memory")->text.find("kept apart"), std::string::npos);
  EXPECT_NE(find(limits(Strategy::mps, on("A10", Platform::slurm)), "mps-memory")->text.find("not isolated"),
            std::string::npos);
}

TEST(Limits, MpsClientsByGenerationAndCuda) {
  EXPECT_EQ(mps_clients("6.0"), 16);
  EXPECT_EQ(mps_clients("7.0"), 48);
  EXPECT_EQ(mps_clients("9.0", "13.0"), 48);
  EXPECT_EQ(mps_clients("9.0", "13.1"), 60);
  EXPECT_EQ(mps_clients("6.0", "13.1"), 16);
}

TEST(Limits, ThePluginCountsAVoltaAsOlder) {
  EXPECT_EQ(mps_plugin_clients("7.0"), 16);
  EXPECT_EQ(mps_plugin_clients("7.5"), 48);
  EXPECT_EQ(mps_plugin_clients("10.0"), 48);
  EXPECT_EQ(find(limits(Strategy::mps, on("V100-32GB", Platform::gpu_operator)), "mps-clients")->value, 16);
  EXPECT_EQ(find(limits(Strategy::mps, on("V100-32GB", Platform::slurm)), "mps-clients")->value, 48);
}

TEST(Limits, EachClientHasItsPartOfTheMemory) {
  EXPECT_EQ(memory_share(Mib{81559}, 4), Mib{20389});
  EXPECT_FALSE(memory_share(std::nullopt, 4));
  EXPECT_FALSE(memory_share(Mib{1}, 0));
}

TEST(Limits, AnOldDriverIsBrokenAndStandsFirst) {
  LimitContext context = on("H200-141GB", Platform::slurm);
  context.driver = "535.104.05";
  const std::vector<Limit> all = limits(Strategy::mig, context);
  EXPECT_EQ(all.front().id, "mig-driver");
  EXPECT_EQ(all.front().kind, LimitKind::broken);
  context.driver = "550.90.07";
  EXPECT_EQ(find(limits(Strategy::mig, context), "mig-driver")->kind, LimitKind::fact);
  context.driver.clear();
  EXPECT_EQ(find(limits(Strategy::mig, context), "mig-driver")->kind, LimitKind::caution);
}

TEST(Limits, MpsOnMigIsBrokenOnlyUnderThePlugin) {
  LimitContext context = on("H100-80GB-SXM5", Platform::gpu_operator);
  context.mig_in_use = true;
  EXPECT_EQ(find(limits(Strategy::mps, context), "mps-mig")->kind, LimitKind::broken);
  context.platform = Platform::slurm;
  EXPECT_EQ(find(limits(Strategy::mps, context), "mps-mig"), nullptr);
}

TEST(Limits, ReplicasOutOfRangeAreBroken) {
  LimitContext context = on("H100-80GB-SXM5", Platform::gpu_operator);
  for (int good : {2, 48}) {
    context.replicas = good;
    EXPECT_EQ(find(limits(Strategy::time_slicing, context), "slice-replicas")->kind, LimitKind::fact);
  }
  for (int bad : {1, 49}) {
    context.replicas = bad;
    EXPECT_EQ(limits(Strategy::time_slicing, context).front().kind, LimitKind::broken) << bad;
    EXPECT_EQ(limits(Strategy::mps, context).front().kind, LimitKind::broken) << bad;
  }
}

TEST(Limits, ALicenceIsKnownMissingOrUnknown) {
  LimitContext context = on("A10", Platform::gpu_operator);
  EXPECT_EQ(find(limits(Strategy::vgpu, context), "vgpu-licence")->kind, LimitKind::caution);
  context.licence = false;
  EXPECT_EQ(find(limits(Strategy::vgpu, context), "vgpu-licence")->kind, LimitKind::broken);
  context.licence = true;
  EXPECT_EQ(find(limits(Strategy::vgpu, context), "vgpu-licence")->kind, LimitKind::fact);
}

TEST(Limits, ABoardWithoutMigIsToldSo) {
  EXPECT_EQ(limits(Strategy::mig, on("A10", Platform::slurm)).front().id, "mig-product");
}

TEST(Limits, PlatformRemarksJoinWhereTheyConcernTheStrategy) {
  const auto facts = built_in_platforms();
  ASSERT_TRUE(facts.ok());
  LimitContext context = on("H100-80GB-SXM5", Platform::ack);
  context.facts = *facts;
  EXPECT_NE(find(limits(Strategy::mps, context), "ack-memory-only"), nullptr);
  EXPECT_EQ(find(limits(Strategy::mig, context), "ack-memory-only"), nullptr);
  EXPECT_NE(find(limits(Strategy::mig, context), "ack-label-default"), nullptr);
  EXPECT_EQ(find(limits(Strategy::mps, context), "fpt-c"), nullptr);
}

TEST(Limits, SlicingBeforeDriver455CannotSetALength) {
  LimitContext context = on("V100-16GB", Platform::gpu_operator);
  context.driver = "450.80.02";
  EXPECT_EQ(find(limits(Strategy::time_slicing, context), "slice-driver")->kind, LimitKind::broken);
}

}  // namespace
}  // namespace tessera::sharing
