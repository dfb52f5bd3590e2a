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

// Three nodes that are closed together: each waits until no work is in the way, and is then cut.
struct ClosedTogether : Fleet {
  ClosedTogether() : Fleet(3, together()) {
    RunStarted started = run.started;
    for (NodePlan& plan : started.plan.nodes) {
      plan.steps[0].after = {ScopeEmpty{}};
      Step cuts = looks(plan.node.text + "/2");
      cuts.action = SetMode{{GpuIndex{0}}, true};
      cuts.before = {ScopeEmpty{}}, cuts.after = {ModeIs{{GpuIndex{0}}, true}};
      plan.steps.push_back(std::move(cuts));
    }
    change_one_first(started.plan);
    run = run_of(started);
  }
  static ChangeOptions together() {
    ChangeOptions options;
    options.canary = 0, options.batch = 3, options.when_empty = true;
    return options;
  }
  // What becomes of a node that is looked at: "changes", "held back", "waits".
  std::string looked_at(const std::string& name, bool empty = true) {
    NodeFacts facts;
    facts.node = node(name, {uncut(0, 0)});
    facts.node.gpus[0].slices[0].holding = Holding::free;
    if (!empty) facts.workloads = {running("7", "ann", {holds(name, {{0}})})};
    const Result<NodeFacts> seen = facts;
    const LedTurn led = next_turn(run, NodeName(name), &seen, at(1));
    for (const RunEvent& event : led.turn.journal) note_begun(run, NodeName(name), event);
    if (std::holds_alternative<Perform>(led.turn.next)) return "changes";
    return led.held_back ? "held back" : "waits";
  }
  NodeStage stage(const std::string& name) const { return stage_of(run, NodeName(name)); }
};

TEST(RunOfNodes, OfNodesThatAreClosedTogetherTheFirstThatIsEmptyGoesOnAloneUntilItIsDone) {
  ClosedTogether fleet;
  EXPECT_EQ(fleet.looked_at("n1", false), "waits");
  EXPECT_EQ(fleet.looked_at("n2"), "changes") << "n1 is not empty";
  EXPECT_EQ(fleet.looked_at("n3"), "held back");
  EXPECT_EQ(fleet.stage("n3"), NodeStage::waiting) << "the next call looks again";
  EXPECT_EQ(fleet.run.nodes.at(NodeName("n3")).step(), 0u) << "whether it is empty is asked again then";
  EXPECT_FALSE(others_follow(fleet.run));
  ClosedTogether stopped = fleet, broken = fleet;
  EXPECT_TRUE(fleet.tell("n2", NodeFinished{Outcome::wanted, "n2: wanted layout, read back"}));
  EXPECT_TRUE(others_follow(fleet.run));
  EXPECT_TRUE(fleet.tell("n3", Resumed{"ann", "login1"}));
  EXPECT_EQ(fleet.looked_at("n3"), "changes");
  EXPECT_TRUE(stopped.tell("n2", NodeFinished{Outcome::wanted, "n2: wanted layout, read back"}));
  EXPECT_TRUE(stopped.tell("", Requested{Demand::pause, "ann", ""}));
  EXPECT_FALSE(others_follow(stopped.run));
  broken.fails("n2");
  EXPECT_FALSE(others_follow(broken.run)) << "what has failed on one is done to no other";
  EXPECT_TRUE(broken.tell("n3", Resumed{"ann", "login1"}));
  EXPECT_EQ(broken.looked_at("n3"), "held back");
}

// It was changed beside those that were under way when their tessera went.
TEST(RunOfNodes, AKillLosesNoCanaryOfNodesThatAreClosedTogether) {
  ClosedTogether fleet;
  EXPECT_EQ(fleet.looked_at("n1"), "changes");
  EXPECT_EQ(fleet.looked_at("n2", false), "waits");
  EXPECT_TRUE(fleet.tell("", Resumed{"ann", "login1"}));  // n3 was not begun yet
  EXPECT_EQ(fleet.looked_at("n2"), "held back") << "n1, which was under way, is the first one";
  EXPECT_EQ(fleet.looked_at("n3"), "held back");
  EXPECT_EQ(fleet.looked_at("n1"), "changes");
  ClosedTogether back;
  EXPECT_EQ(back.looked_at("n1"), "changes");
  EXPECT_TRUE(back.tell("n1", Resumed{"ann", "login1"}));
  EXPECT_EQ(back.looked_at("n1", false), "waits") << "someone came in between";
  EXPECT_EQ(back.looked_at("n2"), "held back") << "n1 is changed in part";
}

TEST(RunOfNodes, NodesThatAKillLeftOpenAreClosedWhileOthersOfTheirRunWait) {
  ClosedTogether fleet;
  EXPECT_EQ(fleet.looked_at("n1", false), "waits");
  EXPECT_EQ(fleet.begins(), "n2 n3");
  fleet.run.started.plan.intent.options.batch = 2;
  EXPECT_EQ(fleet.begins(), "n2") << "those that wait are under way, too";
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
