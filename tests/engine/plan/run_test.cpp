// A run of several nodes, as its journal tells it: what is begun next, what is due, what it ends with.
#include "engine/plan/run/run.hpp"

#include <gtest/gtest.h>

#include "engine/plan/run/one_first.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test::run_story {
namespace {

using namespace plan;

Step looks(const std::string& id, std::optional<TimePoint> not_before = std::nullopt) {
  Step step;
  step.id = id;
  step.action = LookOnly{};
  step.not_before = not_before;
  return step;
}

// Nodes n1, n2, … of one step each.
struct Fleet {
  Run run;
  std::int64_t seq = 1;

  explicit Fleet(int nodes, ChangeOptions options = {}, std::vector<std::optional<TimePoint>> times = {}) {
    RunStarted started;
    started.run = "r1", started.who = "root", started.from = "login1";
    started.plan.intent.options = options;
    for (int i = 1; i <= nodes; ++i) {
      NodePlan& plan = started.plan.nodes.emplace_back();
      plan.node = NodeName("n" + std::to_string(i));
      const auto place = static_cast<std::size_t>(i - 1);
      plan.steps = {looks(plan.node.text + "/1", place < times.size() ? times[place] : std::nullopt)};
    }
    run = run_of(started);
  }
  Status tell(const std::string& node, RunEvent event) {
    return note(run, Entry{++seq, at(static_cast<int>(seq)), NodeName(node), std::move(event)});
  }
  void parks(const std::string& node, Until until) { EXPECT_TRUE(tell(node, Parked{"waits", "", until})); }
  void fails(const std::string& node) {
    EXPECT_TRUE(tell(node, StepFailed{node + "/1", "no"}));
    parks(node, Until::someone);
  }
  std::string begins() const {
    std::string all;
    for (const NodeName& node : nodes_to_begin(run)) all += (all.empty() ? "" : " ") + node.text;
    return all;
  }
};

TEST(RunOfNodes, BeginsNoFurtherNodeWhileOneWaitsForItsTime) {
  Fleet fleet(3);
  EXPECT_EQ(fleet.begins(), "n1");
  fleet.parks("n1", Until::time);
  EXPECT_EQ(fleet.begins(), "") << "a batch is begun when the one before it is through";
  EXPECT_FALSE(end_of(fleet.run));
}

TEST(RunOfNodes, IsDueWhenTheFirstOfItsNodesIsAndNeverWhereAPersonHasToDecide) {
  ChangeOptions batch;
  batch.batch = 2;
  Fleet fleet(3, batch, {at(200), at(100)});
  fleet.parks("n1", Until::time);
  fleet.parks("n2", Until::time);
  EXPECT_EQ(due_at(fleet.run), at(100));
  EXPECT_FALSE(may_be_due(fleet.run, at(99)));
  EXPECT_TRUE(may_be_due(fleet.run, at(100)));
  fleet.fails("n3");
  EXPECT_FALSE(may_be_due(fleet.run, at(300)));
}

TEST(RunOfNodes, OfNodesThatAreClosedTogetherOneGoesOnAloneUntilItIsDone) {
  ChangeOptions together;
  together.canary = 0, together.batch = 3;
  Fleet fleet(3, together);
  for (const char* node : {"n1", "n2", "n3"}) fleet.parks(node, Until::empty);
  EXPECT_TRUE(held_back(fleet.run).empty()) << "nobody has asked for that";
  change_one_first(fleet.run.started.plan);
  const std::vector<NodeName> held = held_back(fleet.run);
  EXPECT_EQ(held, (std::vector<NodeName>{NodeName("n2"), NodeName("n3")}));
  EXPECT_EQ(held_back_for(fleet.run, NodeName("n2")).until, Until::empty) << "the next call looks again";
  EXPECT_EQ(let_on(fleet.run, held), std::vector<NodeName>{NodeName("n2")}) << "n1 is not empty after all";
  Fleet stopped = fleet, broken = fleet, killed = fleet;
  EXPECT_TRUE(stopped.tell("", Requested{Demand::pause, "ann", ""}));
  EXPECT_TRUE(let_on(stopped.run, held).empty());
  broken.fails("n1");
  EXPECT_TRUE(let_on(broken.run, held).empty()) << "what has failed on one is done to no other";
  EXPECT_TRUE(killed.tell("n1", Resumed{"ann", "login1"}));
  EXPECT_EQ(held_back(killed.run), held) << "n1, which was under way, is the first one";
  EXPECT_TRUE(fleet.tell("n1", NodeFinished{Outcome::wanted, "n1: wanted layout, read back"}));
  EXPECT_EQ(let_on(fleet.run, held), held);
  EXPECT_TRUE(held_back(fleet.run).empty()) << "nor does the next call";
}

TEST(RunOfNodes, OneNodeAloneIsItsOwnCanary) {
  Fleet fleet(1);
  change_one_first(fleet.run.started.plan);
  EXPECT_FALSE(changes_one_first(fleet.run.started.plan));
}

TEST(RunOfNodes, HasNotEndedWhileANodeOfItIsParked) {
  Fleet fleet(1);
  fleet.fails("n1");
  EXPECT_FALSE(end_of(fleet.run)) << "an admin takes it on, or back";
  EXPECT_TRUE(fleet.tell("n1", Resumed{"ann", "login1"}));
  EXPECT_TRUE(fleet.tell("n1", NodeFinished{Outcome::wanted, "n1: wanted layout, read back"}));
  ASSERT_TRUE(end_of(fleet.run));
  EXPECT_EQ(end_of(fleet.run)->outcome, Outcome::wanted);
}

TEST(RunOfNodes, TakesAPlanOfItsOwnNodeAndOfNoOther) {
  Fleet fleet(2);
  auto plan_of = [](std::vector<std::string> nodes) {
    plan::Plan plan;
    for (std::string& node : nodes) plan.nodes.emplace_back().node = NodeName(std::move(node));
    return plan;
  };
  EXPECT_FALSE(fleet.tell("n1", Replanned{plan_of({"n2"}), false, "ann"}));
  EXPECT_FALSE(fleet.tell("n1", Replanned{plan_of({"n1", "n2"}), false, "ann"}));
  EXPECT_FALSE(fleet.tell("n1", Replanned{plan_of({}), false, "ann"}));
  EXPECT_EQ(fleet.run.plans.at(NodeName("n1")).node, NodeName("n1"));
  EXPECT_TRUE(fleet.tell("n1", Replanned{plan_of({"n1"}), false, "ann"}));
}

// The connection broke off: the command may run on. Only a success tells that nothing is under way.
TEST(RunOfNodes, AnActThatFailedMayStillBeUnderWay) {
  Fleet fleet(2);
  EXPECT_TRUE(fleet.tell("n1", StepBegun{"n1/1", 1, SetMark{}}));
  EXPECT_TRUE(fleet.run.unanswered.contains(NodeName("n1")));
  EXPECT_TRUE(fleet.tell("n1", ActionReturned{"n1/1", "no answer from n1"}));
  EXPECT_TRUE(fleet.run.unanswered.contains(NodeName("n1")));
  EXPECT_TRUE(fleet.tell("n2", StepBegun{"n2/1", 1, SetMark{}}));
  EXPECT_TRUE(fleet.tell("n2", ActionReturned{"n2/1", ""}));
  EXPECT_EQ(fleet.run.unanswered, std::set<NodeName>{NodeName("n1")});
}

// Killed in a reset, taken up and killed again: what succeeded in between saw nothing of the reset's end.
TEST(RunOfNodes, AnActOfAnEarlierProcessMayBeUnderWayWhateverSucceedsAfterIt) {
  const auto still = [](std::vector<RunEvent> events) {
    Journal journal;
    const auto write = [&](NodeName node, RunEvent event) {
      const auto seq = static_cast<std::int64_t>(journal.entries.size()) + 1;
      journal.entries.push_back(Entry{seq, at(static_cast<int>(seq)), std::move(node), std::move(event)});
    };
    write({}, Fleet(1).run.started);
    for (RunEvent& event : events) write(NodeName("n1"), std::move(event));
    const auto run = replay(journal);
    return run && run->unanswered.contains(NodeName("n1"));
  };
  const StepBegun reset{"n1/1", 1, ResetGpus{{GpuIndex{0}}}}, close{"n1/1", 1, CloseNode{}};
  const ActionReturned done{"n1/1", ""}, failed{"n1/1", "no answer from n1"};
  EXPECT_TRUE(still({reset}));
  EXPECT_TRUE(still({reset, failed}));
  EXPECT_FALSE(still({reset, done}));
  EXPECT_TRUE(still({reset, close, done})) << "the scheduler was asked, and not the node";
  EXPECT_TRUE(still({reset, reset, done})) << "a version that asked nothing may have written this";
  EXPECT_FALSE(still({reset, done, reset, done}));
  EXPECT_FALSE(still({close})) << "no command runs on the node";
  const StepDone as_wanted{"n1/1", true};
  EXPECT_TRUE(still({reset, as_wanted})) << "what stands tells nothing of a reset, which leaves it as it is";
  EXPECT_TRUE(still({reset, failed, Resumed{"ann", "login1"}, as_wanted}));
}

// The same job holds more than it did when an admin agreed to disturb it.
TEST(RunOfNodes, WorkThatWasNamedWithOneSliceIsNotNamedWithAnother) {
  Fleet fleet(1);
  Disturbed known;
  known.id = WorkloadId("7"), known.user = "alice", known.slices = {"GPU 0 1g.10gb@0"};
  fleet.run.started.plan.nodes[0].blast_radius = {known};
  plan::Plan onward;
  onward.nodes = {fleet.run.started.plan.nodes[0]};
  EXPECT_TRUE(unnamed_harm(fleet.run, onward, false).empty());
  onward.nodes[0].blast_radius[0].slices = {"GPU 1"};
  EXPECT_EQ(unnamed_harm(fleet.run, onward, false), std::vector<std::string>{"7 (alice) on GPU 1"});
}

}  // namespace
}  // namespace tessera::test::run_story
