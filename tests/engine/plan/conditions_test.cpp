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

}  // namespace
}  // namespace tessera::test::conditions_story
