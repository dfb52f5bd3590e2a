// What a run left on a node held against what stands there: a change by hand is not the run's.
#include "engine/fleet/left.hpp"

#include <gtest/gtest.h>

#include "engine/plan/effect/observed.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

using test::at;
using test::cut;
using test::instance;
using test::node;
using test::uncut;

plan::BoardState state(const Gpu& gpu) { return plan::state_of(gpu); }

// A run that cuts GPU 0 of n1 from whole into two 3g.40gb; GPU 1 is not its business.
struct OneRun {
  plan::Run run;

  OneRun() {
    plan::RunStarted started;
    started.run = "r1", started.who = "bob";
    plan::NodePlan& plan = started.plan.nodes.emplace_back();
    plan.node = NodeName("n1");
    plan.steps.emplace_back().id = "n1/1";
    plan.before = {state(uncut(0, 0))};
    plan.after = {state(cut(0, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)}))};
    run = plan::run_of(started);
  }
  void ends(plan::Outcome outcome) {
    ASSERT_TRUE(plan::note(run, {2, at(2), NodeName("n1"), plan::NodeFinished{outcome, "n1"}}));
  }
  Left on(const Node& node) const { return left_on(&run, node); }
};

const Gpu kHalves = cut(0, {instance("3g.40gb", 4, 4, 7), instance("3g.40gb", 0, 4, 9)});

TEST(FleetLeft, WhatTheRunLeftStandsWhereverItsInstancesAre) {
  OneRun one;
  one.ends(plan::Outcome::wanted);
  EXPECT_EQ(one.on(node("n1", {kHalves, uncut(1, 9)})).since, Since::stands);
  EXPECT_EQ(one.on(node("n1", {kHalves, cut(1, {})})).since, Since::stands) << "GPU 1 is not the run's";
}

TEST(FleetLeft, ALayoutThatWasMadeByHandAfterwardsIsAnothers) {
  OneRun one;
  one.ends(plan::Outcome::wanted);
  const Left left = one.on(node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})}));
  EXPECT_EQ(left.since, Since::changed);
  EXPECT_EQ(left.boards, "GPU 0: 2 × 3g.40gb");
  EXPECT_EQ(one.on(node("n1", {uncut(0, 0)})).since, Since::changed);
  RunHead head;
  head.run = "r1", head.who = "bob", head.words = "as fleet.yaml says", head.started = at(0);
  EXPECT_EQ(last_sentence(head, left),
            "changed since by another: run r1 of bob, 2027-01-15T08:00:00Z, left GPU 0: 2 × 3g.40gb");
  EXPECT_EQ(last_sentence(head, {Since::stands, ""}),
            "changed last by run r1 of bob, 2027-01-15T08:00:00Z: as fleet.yaml says");
}

TEST(FleetLeft, ARunThatWentBackHasChangedNothing) {
  OneRun one;
  plan::Plan back;
  plan::NodePlan& plan = back.nodes.emplace_back();
  plan.node = NodeName("n1");
  plan.steps.emplace_back().id = "n1/1";
  plan.before = {state(kHalves)}, plan.after = {state(uncut(0, 0))};
  ASSERT_TRUE(plan::note(one.run, {2, at(2), NodeName("n1"), plan::Replanned{back, true, "bob"}}));
  one.ends(plan::Outcome::recorded);
  const Left left = one.on(node("n1", {uncut(0, 0)}));
  EXPECT_EQ(left.since, Since::unchanged);
  EXPECT_EQ(one.on(node("n1", {kHalves})).since, Since::changed);
  RunHead head;
  head.run = "r1", head.who = "bob", head.words = "as fleet.yaml says", head.started = at(0);
  EXPECT_EQ(
      last_sentence(head, left),
      "run r1 of bob, 2027-01-15T08:00:00Z, left the layout as it was: as fleet.yaml says; who changed it "
      "last is not known");
}

// What it found when it gave the node back is not its own.
TEST(FleetLeft, ARunThatOnlyOpenedTheNodeAgainHasChangedNothing) {
  OneRun one;
  plan::Plan back;
  plan::NodePlan& plan = back.nodes.emplace_back();
  plan.node = NodeName("n1"), plan.only_given_back = true;
  plan.steps.emplace_back().id = "n1/1";
  plan.before = plan.after = {state(cut(0, {instance("1g.10gb", 0, 1, 0)}))};
  ASSERT_TRUE(plan::note(one.run, {2, at(2), NodeName("n1"), plan::Replanned{back, true, "bob"}}));
  one.ends(plan::Outcome::recorded);
  EXPECT_EQ(one.on(node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0)})})).since, Since::unchanged);
}

TEST(FleetLeft, WhatAPlanMadeOnTheWayLeadsToIsLeft) {
  OneRun one;
  const Gpu kSevenths = cut(0, {instance("1g.10gb", 0, 1, 0)});
  plan::Plan onward;
  plan::NodePlan& plan = onward.nodes.emplace_back();
  plan.node = NodeName("n1");
  plan.steps.emplace_back().id = "n1/1";
  plan.before = {state(uncut(0, 0))}, plan.after = {state(kSevenths)};
  ASSERT_TRUE(plan::note(one.run, {2, at(2), NodeName("n1"), plan::Replanned{onward, false, "bob"}}));
  one.ends(plan::Outcome::wanted);
  EXPECT_EQ(one.on(node("n1", {kSevenths})).since, Since::stands);
  EXPECT_EQ(one.on(node("n1", {kHalves})).boards, "GPU 0: 1g.10gb");
}

TEST(FleetLeft, ARunThatHasNotEndedThereIsBlamedForNothing) {
  EXPECT_EQ(OneRun().on(node("n1", {kHalves})).since, Since::unfinished);
}

TEST(FleetLeft, WhatIsNotKnownIsNeitherTheRunsNorAnothers) {
  OneRun one;
  one.ends(plan::Outcome::wanted);
  EXPECT_EQ(left_on(nullptr, node("n1", {kHalves})).since, Since::untold);
  EXPECT_EQ(one.on(node("n2", {kHalves})).since, Since::untold) << "a node of another run";
  Node down = node("n1", {uncut(0, 0)});
  down.health = Health::down;
  EXPECT_EQ(one.on(down).since, Since::untold);
  EXPECT_EQ(one.on(node("n1", {})).since, Since::untold);
  Gpu dark = uncut(0, 0);
  dark.strategy = Strategy::unknown;
  EXPECT_EQ(one.on(node("n1", {dark})).since, Since::untold);
}

}  // namespace
}  // namespace tessera::fleet
