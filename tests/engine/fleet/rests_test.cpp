// Runs that were parked since their fleet file was paused, told from those that wait for a person.
#include "engine/fleet/rests.hpp"

#include <gtest/gtest.h>

#include "engine/fleet/carried_on.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::fleet {
namespace {

struct Said {
  std::string node;  // empty: of the run
  plan::RunEvent what;
};

const std::string kWhy = resting_words("2027-01-15T08:01:00Z by bob");
const Said kPaused{"", plan::Requested{plan::Demand::pause, "root", kWhy}};
const Said kClosed{"n1", plan::StepBegun{"close", 1, plan::CloseNode{}}};
const Said kRests{"n1", plan::Parked{kWhy, "n1 stays closed by this run", plan::Until::someone}};

plan::Run told(const std::vector<Said>& events) {
  test::Story story;
  story.tell(ClusterSeen{Scheduler::slurm, false, "", ""});
  story.tell(NodesListed{{test::node("n1", {test::cut(0, {test::instance("3g.40gb", 0, 4, 1)})}),
                          test::node("n2", {test::cut(0, {test::instance("3g.40gb", 0, 4, 1)})})}});
  plan::Intent intent = test::wants("7x1g.10gb");
  intent.nodes = {NodeName("n1"), NodeName("n2")};
  plan::RunStarted started;
  started.run = "r1";
  started.plan = plan::make_plan(story.cluster(), test::catalogue(), intent, plan::simulator_capabilities(),
                                 {}, test::at(0))
                     .value();
  plan::Journal journal;
  journal.entries.push_back({1, test::at(0), {}, started});
  for (const Said& one : events) {
    const auto line = static_cast<std::int64_t>(journal.entries.size() + 1);
    journal.entries.push_back({line, test::at(0), NodeName(one.node), one.what});
  }
  return plan::replay(journal).value();
}

TEST(FleetRestsByPause, ARunThatThePauseAloneHasParkedNeedsNoPerson) {
  const plan::Run run = told({kClosed, kPaused, kRests});
  EXPECT_TRUE(rests_by_pause(run));
  EXPECT_TRUE(failed_but_resting(run).empty());
  EXPECT_TRUE(has_only_closed(run));
  EXPECT_TRUE(opens_again({"its window is over", true}, &run));
  EXPECT_TRUE(rests_by_pause(told({kPaused}))) << "between two nodes";
}

TEST(FleetRestsByPause, WhatHasFailedOrIsUnderWayOrAPersonHasPausedDoesNotRestByIt) {
  EXPECT_FALSE(rests_by_pause(told({kClosed, kPaused}))) << "n1 is under way";
  EXPECT_FALSE(rests_by_pause(told({kClosed, {"", plan::Requested{plan::Demand::pause, "root", ""}}})));
  const Said failed{"n1", plan::StepFailed{"close", "no answer"}};
  EXPECT_FALSE(rests_by_pause(told({kClosed, kPaused, failed, kRests})));
  EXPECT_EQ(failed_but_resting(told({kClosed, kPaused, failed, kRests})).size(), 1u);
  EXPECT_FALSE(rests_by_pause(
      told({kClosed, kPaused, kRests, {"", plan::Requested{plan::Demand::pause, "root", ""}}})))
      << "a person has paused it since";
  EXPECT_FALSE(rests_by_pause(told({kClosed, kPaused, kRests, {"", plan::Resumed{"root", "login1"}}})));
}

TEST(FleetRestsByPause, WhereALayoutWasBegunNodesAreNotOpenedByATimer) {
  const plan::Run run =
      told({kClosed, {"n1", plan::StepBegun{"cut", 1, plan::DestroyInstances{}}}, kPaused, kRests});
  EXPECT_TRUE(rests_by_pause(run));
  EXPECT_FALSE(has_only_closed(run));
}

// What rests in one run kept the other runs of the same window from going on, for a call.
TEST(FleetRestsByPause, ANodeThatRestsIsNoneThatHasFailedForTheOtherRunsOfItsWindow) {
  FailedNodes failed;
  const plan::Run run = told({kClosed, kPaused, kRests});
  failed.note(run);
  EXPECT_TRUE(failed.beside(run.started.plan.intent.cluster, run.started.plan.intent.words, "r2").empty());
}

}  // namespace
}  // namespace tessera::fleet
