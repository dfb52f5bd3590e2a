// What could be cut out of a GPU on demand, beside what work holds there.
#include "engine/mig/could_be.hpp"

#include <gtest/gtest.h>

#include "engine/insight/on_demand.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

Slice held(Slice slice, const std::string& by) {
  slice.holding = Holding::held;
  slice.holders = {{WorkloadId(by), 1}};
  return slice;
}
Slice spare(Slice slice) {
  slice.holding = Holding::free;
  return slice;
}

const mig::CouldBe& of(const std::vector<mig::CouldBe>& all, const std::string& profile) {
  static const mig::CouldBe none;
  for (const mig::CouldBe& one : all)
    if (h100().profiles[static_cast<std::size_t>(one.profile)].name.text == profile) return one;
  ADD_FAILURE() << profile;
  return none;
}

TEST(CouldBe, AnUncutGpuTakesAsManyOfEachAsThereAre) {
  Gpu gpu = uncut(0, 0);
  gpu.slices[0].holding = Holding::free;
  const auto all = mig::could_be(h100(), gpu);
  ASSERT_TRUE(all);
  EXPECT_EQ(of(*all, "7g.80gb").together, 1);
  EXPECT_EQ(of(*all, "3g.40gb").together, 2);
  EXPECT_EQ(of(*all, "3g.40gb").free, (std::vector<int>{0, 4}));
  EXPECT_EQ(of(*all, "1g.10gb").together, 7);
  EXPECT_TRUE(of(*all, "1g.10gb").blocked.empty());
}

// The allocator takes the first that fits by name: a 1g at 4 has cut the second half in two.
TEST(CouldBe, WhatIsInTheWayIsNamedForEachPlace) {
  const Gpu gpu = cut(0, {held(instance("1g.10gb", 4, 1, 0), "team/q"), spare(instance("2g.20gb", 0, 2, 1))});
  const auto all = mig::could_be(h100(), gpu);
  ASSERT_TRUE(all);
  const mig::CouldBe& half = of(*all, "3g.40gb");
  EXPECT_EQ(half.free, std::vector<int>{0}) << "what nobody holds goes";
  EXPECT_EQ(half.together, 1);
  ASSERT_EQ(half.blocked.size(), 1u);
  EXPECT_EQ(half.blocked[0], (mig::CouldBe::Blocked{4, {0}}));
  EXPECT_EQ(insight::in_way_text(gpu, half.blocked[0]), "1g.10gb@4 (team/q)");
  EXPECT_EQ(of(*all, "7g.80gb").together, 0);
  EXPECT_EQ(of(*all, "1g.10gb").together, 6);
}

TEST(CouldBe, WhereComputeIsUsedUpNoMemoryIsInTheWay) {
  const Gpu gpu =
      cut(0, {held(instance("4g.40gb", 0, 4, 0), "a/b"), held(instance("3g.40gb", 4, 4, 1), "a/c")});
  const auto full = mig::could_be(h100(), gpu);
  ASSERT_TRUE(full);
  for (const mig::CouldBe& one : *full) EXPECT_EQ(one.together, 0);
  const Gpu odd =
      cut(0, {held(instance("4g.40gb", 0, 4, 0), "a/b"), held(instance("2g.20gb", 4, 2, 1), "a/c"),
              held(instance("1g.10gb", 6, 1, 2), "a/d")});
  const auto all = mig::could_be(h100(), odd);
  ASSERT_TRUE(all);
  for (const mig::CouldBe& one : *all) EXPECT_EQ(one.together, 0) << one.profile;
}

TEST(CouldBe, AGpuThatIsHeldWholeHasRoomForNone) {
  Gpu gpu = uncut(0, 0);
  gpu.slices[0] = held(gpu.slices[0], "team/all");
  const auto all = mig::could_be(h100(), gpu);
  ASSERT_TRUE(all);
  EXPECT_EQ(of(*all, "1g.10gb").together, 0);
  EXPECT_EQ(insight::in_way_text(gpu, of(*all, "1g.10gb").blocked.at(0)), "whole (team/all)");
}

TEST(CouldBe, WhatIsNotKnownOfAHolderOrAPlaceIsNotGuessed) {
  Gpu gpu = cut(0, {instance("1g.10gb", 4, 1, 0)});
  gpu.slices[0].holding = Holding::unknown;
  EXPECT_FALSE(mig::could_be(h100(), gpu));
  gpu.slices[0] = held(gpu.slices[0], "a/b");
  gpu.slices[0].placement.reset();
  EXPECT_FALSE(mig::could_be(h100(), gpu));
  gpu.slices[0].placement = Placement{3, 1};
  gpu.slices[0].profile = ProfileName("9g.90gb");
  EXPECT_FALSE(mig::could_be(h100(), gpu));
}

TEST(CouldBe, OnlyADriverThatCutsOnDemandIsAsked) {
  Node node = test::node("n1", {cut(0, {held(instance("3g.40gb", 4, 4, 0), "team/q")})});
  const auto text = [&] { return insight::could_be_text(node, node.gpus[0], catalogue()); };
  EXPECT_EQ(text(), "") << "no DRA driver hands it out";
  node.gpus[0].origin.source = Source::kubernetes_claims;
  EXPECT_EQ(text(), "") << "which way it cuts is not told";
  Node fixed = node, dark = node;
  operators::say_way(fixed, operators::DraWay::at_start);
  EXPECT_FALSE(insight::could_be(fixed, fixed.gpus[0], catalogue()));
  operators::say_way(dark, operators::DraWay::on_demand_dark);
  EXPECT_FALSE(insight::could_be(dark, dark.gpus[0], catalogue()));
  operators::say_way(node, operators::DraWay::on_demand);
  EXPECT_EQ(text(), "could be 4g.40gb to 4×1g.10gb");
}

}  // namespace
}  // namespace tessera::test
