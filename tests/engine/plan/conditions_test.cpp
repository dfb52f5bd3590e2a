// What counts as so: exactly what is wanted, where it is wanted, and reported by a source.
#include <gtest/gtest.h>

#include "engine/plan/condition.hpp"
#include "engine/plan/effect/observed.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test::conditions_story {
namespace {

using namespace plan;

InstanceAt at_start(const char* profile, int start, int size) {
  return {ProfileName(profile), Placement{start, size}, std::nullopt};
}

TEST(Conditions, WhereStartsWereChosenTheLayoutIsAtThem) {
  NodeFacts facts;
  facts.node = node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})});
  const std::vector<InstanceAt> wanted{at_start("3g.40gb", 0, 4)};
  EXPECT_EQ(unmet(LayoutIs{GpuIndex{0}, wanted, true}, facts, "r1"), "GPU 0 has 3g.40gb@4, not 3g.40gb@0");
  EXPECT_FALSE(unmet(LayoutIs{GpuIndex{0}, wanted, false}, facts, "r1")) << "the driver chose";
}

TEST(Conditions, ALayoutWithoutChosenStartsIsItsProfilesAndNotTheirNumber) {
  NodeFacts facts;
  facts.node = node("n1", {cut(0, {instance("2g.20gb", 0, 2, 0)})});
  EXPECT_TRUE(unmet(LayoutIs{GpuIndex{0}, {at_start("1g.10gb", 0, 1)}, false}, facts, "r1"));
}

TEST(Conditions, AGpuWhoseMigIsToGoOffAtAResetStillHasIt) {
  Gpu board = cut(0, {});
  board.mig_mode = MigMode::disable_pending;
  EXPECT_TRUE(state_of(board).mig);
  board.mig_mode = MigMode::enable_pending;
  EXPECT_FALSE(state_of(board).mig);
}

TEST(Conditions, ANodeThatDoesNotAnswerMeetsNothingThatAsksForAnAnswer) {
  NodeFacts facts;
  EXPECT_FALSE(unmet(Answering{}, facts, "r1"));
  facts.answering = false;
  EXPECT_EQ(unmet(Answering{}, facts, "r1"), "the node does not answer");
}

TEST(Conditions, AsManyVgpusOfAnotherTypeAreNotWhatIsWanted) {
  Slice one = shared(SliceKind::vgpu, 1, 0);
  one.profile = ProfileName("L40-8Q");
  Gpu board = gpu(0, Strategy::vgpu, {one, one});
  board.replicas = 2;
  NodeFacts facts;
  facts.node = node("n1", {board});
  EXPECT_FALSE(unmet(SharingIs{{GpuIndex{0}}, Strategy::vgpu, 2, ProfileName("L40-8Q")}, facts, "r1"));
  EXPECT_EQ(unmet(SharingIs{{GpuIndex{0}}, Strategy::vgpu, 2, ProfileName("L40-12Q")}, facts, "r1"),
            "GPU 0 offers L40-8Q, not L40-12Q");
}

// A GPU that fell off the bus has no instances; that is not what was wanted of it.
TEST(Conditions, InstancesOfAGpuThatIsNotListedAreNotGone) {
  NodeFacts facts;
  facts.node = node("n1", {});
  EXPECT_EQ(unmet(InstancesGone{GpuIndex{3}, {at_start("1g.10gb", 0, 1)}}, facts, "r1"),
            "GPU 3 is not listed");
}

// A device plugin that still offers what is gone offers too much.
TEST(Conditions, MoreThanWantedIsNotWhatIsWanted) {
  NodeFacts facts;
  const Condition seven = Advertises{{{"gpu:1g.10gb", 7}}};
  facts.advertised["gpu:1g.10gb"] = 7;
  EXPECT_FALSE(unmet(seven, facts, "r1"));
  facts.advertised["gpu:1g.10gb"] = 8;
  EXPECT_EQ(unmet(seven, facts, "r1"), "gpu:1g.10gb is 8, not 7");
  facts.advertised.clear();
  EXPECT_EQ(unmet(seven, facts, "r1"), "gpu:1g.10gb is 0, not 7");
}

TEST(Conditions, AWordThatIsNotReportedIsNotEmpty) {
  NodeFacts facts;
  const Condition fine = WordIs{"reachable", ""};
  EXPECT_EQ(unmet(fine, facts, "r1"), "reachable is not known");
  facts.words["reachable"] = "no route";
  EXPECT_EQ(unmet(fine, facts, "r1"), "no route");
  facts.words["reachable"] = "";
  EXPECT_FALSE(unmet(fine, facts, "r1"));
}

// A run whose label another user had overruled stopped with the words "failed: default".
TEST(Conditions, ALabelThatIsToBeEmptyIsNamedBesideItsValue) {
  NodeFacts facts;
  facts.words["nvidia.com/device-plugin.config"] = "default";
  const Condition none = WordIs{"nvidia.com/device-plugin.config", ""};
  EXPECT_EQ(unmet(none, facts, "r1"), "nvidia.com/device-plugin.config is default, not empty");
  facts.words["nvidia.com/device-plugin.config"] = "";
  EXPECT_FALSE(unmet(none, facts, "r1"));
  facts.words["eviction of ml/a.b"] = "its budget lets none go";
  EXPECT_EQ(unmet(WordIs{"eviction of ml/a.b", ""}, facts, "r1"), "its budget lets none go");
}

// The GPU was cut again since the plan: what stands there now reaches into the places that it clears.
TEST(Conditions, AHeldSliceThatReachesIntoTheScopeIsInTheWay) {
  NodeFacts facts;
  facts.node = node("n1", {cut(0, {instance("2g.20gb", 2, 2, 0)})});
  facts.node.gpus[0].slices[0].holding = Holding::held;
  auto busy = [&](int start, int size) {
    return unmet(ScopeEmpty{{{{GpuIndex{0}, {Placement{start, size}}}}}}, facts, "r1").has_value();
  };
  EXPECT_TRUE(busy(0, 4));
  EXPECT_TRUE(busy(3, 1));
  EXPECT_FALSE(busy(0, 2)) << "it ends where the other begins";
  EXPECT_FALSE(busy(4, 4));
}

// It has asked for what it holds: that it would be started again at once does not make the node empty.
TEST(Conditions, APodOfADaemonSetThatHasAskedForItsGpuKeepsTheNodeBusy) {
  NodeFacts facts;
  Workload pod = running("monitoring/burn", "DaemonSet/burn", {holds_some("n1", "", 1)});
  pod.stays = true;
  facts.workloads = {pod};
  auto why = unmet(ScopeEmpty{}, facts, "r1");
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("monitoring/burn"), std::string::npos) << *why;
  facts.workloads[0].unasked = "privileged";
  EXPECT_FALSE(unmet(ScopeEmpty{}, facts, "r1")) << "it only looks on";
}

TEST(Conditions, OnlyWhatTheRunHasClosedIsLeftToBeOpened) {
  NodeFacts facts;
  facts.closed = true;
  const Action open = OpenNode{};
  EXPECT_FALSE(narrow(open, facts, "r1")) << "an admin has closed it";
  facts.closed_as = RunMark{"r9", "eve", "login2", {}};
  EXPECT_FALSE(narrow(open, facts, "r1")) << "another run has";
  facts.closed_as->run = "r1";
  EXPECT_TRUE(narrow(open, facts, "r1"));
}

TEST(Conditions, OnlyTheRunsOwnMarkIsLeftToBeRemoved) {
  NodeFacts facts;
  const Action clear = ClearMark{};
  EXPECT_FALSE(narrow(clear, facts, "r1")) << "there is none";
  facts.mark = RunMark{"r9", "eve", "login2", {}};
  EXPECT_FALSE(narrow(clear, facts, "r1")) << "it keeps others off the node for run r9";
  facts.mark->run = "r1";
  EXPECT_TRUE(narrow(clear, facts, "r1"));
}

// Where the driver chooses the places, what stood before the run is none of what the run has made.
TEST(Conditions, WhatStoodBeforeDoesNotCountAsMade) {
  NodeFacts facts;
  facts.node = node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})});
  CreateInstances two{GpuIndex{0},
                      {at_start("1g.10gb", 1, 1), at_start("1g.10gb", 2, 1)},
                      {at_start("1g.10gb", 0, 1)},
                      false};
  auto left = narrow(two, facts, "r1");
  ASSERT_TRUE(left);
  EXPECT_EQ(std::get<CreateInstances>(*left).instances.size(), 2u);
  facts.node.gpus[0].slices.push_back(instance("1g.10gb", 5, 1, 1));
  left = narrow(two, facts, "r1");
  ASSERT_TRUE(left);
  EXPECT_EQ(std::get<CreateInstances>(*left).instances.size(), 1u) << "one was made, elsewhere than expected";
}

}  // namespace
}  // namespace tessera::test::conditions_story
