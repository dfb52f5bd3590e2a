// Nodes that tessera fleet run closes together for a window, and which of them is changed first.
#include "engine/plan/run/one_first.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FakeRuns;
using test::FleetCommandLine;
using test::kSoon;

// Alice's job on n1 may run for five hours, bob's on n2 for one: each node is closed in a call of its own.
class FleetOneByOne : public FleetCommandLine {
 protected:
  FleetOneByOne() {
    options.write = options.yes = true;
    stands = [this] {
      std::vector<Node> all;
      std::vector<Workload> work;
      for (const char* name : {"n1", "n2"}) {
        all.push_back(test::node(name, {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})}));
        work.push_back(test::running(name, "alice", {test::holds(name, {{0}})}));
        work.back().ends = *work.back().started + std::chrono::hours(std::string(name) == "n1" ? 5 : 1);
      }
      all.push_back(test::node("n3", {test::uncut(0, 0)}));  // of pool b
      if (all_ends) work.clear();
      return std::make_unique<test::StandingBackend>(all, work);
    };
    starts = [this](FakeRuns& room) {
      const std::string node = asked.plan->nodes.front().node.text;
      room.write(node, plan::StepBegun{"close", 1, plan::CloseNode{}});
      parks(room, node, fails);
      RunHead head;
      head.run = "r" + std::to_string(room.begun), head.cluster = ClusterName("hpc");
      head.nodes = asked.plan->intent.nodes, head.words = asked.plan->intent.words;
      head.state = RunState::parked, head.started = test::at(later);
      heads.insert(heads.begin(), head);
      room.heads = heads, begun_before = room.begun;
    };
    resumes = [this](FakeRuns& room) { parks(room, asked.what.back().ends_with("r1") ? "n1" : "n2", true); };
  }
  void parks(FakeRuns& room, const std::string& node, bool broken) {
    if (broken) room.write(node, plan::StepFailed{"close", "no"});
    room.write(node, plan::Parked{"as it is", "", broken ? plan::Until::someone : plan::Until::empty});
    journals = room.journals;
  }
  int call(const std::string& more = "") {
    std::string soon = kSoon;
    soon.replace(soon.find("{lead: '06:00'}"), 15, "{lead: '06:00', max_nodes_at_once: 2}" + more);
    return run({"run", file(soon)});
  }
  bool said(const std::string& part) const { return err.str().find(part) != std::string::npos; }
  std::ptrdiff_t resumed() const {
    return std::count_if(asked.what.begin(), asked.what.end(),
                         [](const std::string& one) { return one.starts_with("resume on"); });
  }

  bool fails = false, all_ends = false;
};

// Nodes of which each was closed in a call of its own are in runs of their own, and none was the others'
// canary: what had failed on one was done to the next.
TEST_F(FleetOneByOne, ANodeThatFailsKeepsTheOthersOfItsWindowAsTheyAreInWhicheverRuns) {
  EXPECT_EQ(call(), kDone) << err.str();
  EXPECT_EQ(begun(), 1);
  later = 3 * 3600;
  EXPECT_EQ(call(), kDone) << err.str();
  ASSERT_EQ(begun(), 1);
  ASSERT_EQ(heads.size(), 2u);
  EXPECT_EQ(heads[0].words, heads[1].words) << "both are for one window";
  all_ends = true;
  EXPECT_EQ(call(), kFinding) << err.str();
  EXPECT_EQ(resumed(), 1) << "the second is not changed as the first was: " << err.str();
  EXPECT_TRUE(said("for the same window, and on_failure of pool a is stop")) << err.str();
  EXPECT_EQ(call(), kFinding);
  EXPECT_EQ(resumed(), 0) << "nor by the next call: " << err.str();
  options.dry_run = true;
  EXPECT_EQ(call(), kFinding);
  EXPECT_TRUE(said("for the same window, and on_failure of pool a is stop")) << err.str();
}

TEST_F(FleetOneByOne, ANodeThatFailsKeepsTheOthersOfItsWindowOpen) {
  fails = true;
  EXPECT_EQ(call(), kFinding);
  EXPECT_EQ(begun(), 1) << err.str();
  later = 3 * 3600;
  EXPECT_EQ(call(), kFinding);
  EXPECT_EQ(begun(), 0) << err.str();
  EXPECT_TRUE(
      said("pool a is skipped: node n1 has failed, or waits for a person, in run r1 for the same window, and "
           "on_failure of pool a is stop"))
      << err.str();
  EXPECT_EQ(call("\n  on_failure: go-on"), kFinding) << "n1 still is one";
  EXPECT_EQ(begun(), 1) << err.str();
}

// check said that nothing of the window goes on, and run closed the next node.
TEST_F(FleetOneByOne, ANodeThatFailedInARunThatWasKilledKeepsTheOthersOfItsWindowOpenToo) {
  fails = true;
  EXPECT_EQ(call(), kFinding);
  ASSERT_EQ(heads.size(), 1u);
  heads.front().state = RunState::interrupted;
  later = 3 * 3600;
  EXPECT_EQ(call(), kFinding);
  EXPECT_EQ(begun(), 0) << err.str();
  EXPECT_TRUE(said("node n1 has failed, or waits for a person, in run r1 for the same window")) << err.str();
}

// Only the first was closed, as the canary, and the others were open until its work ended too late.
TEST_F(FleetCommandLine, RunClosesEveryNodeEarlyThatIsHeldAndTheCanaryIsAmongThoseThatAreNot) {
  options.write = options.yes = true;
  std::vector<plan::Intent> begun;
  stands = [] {
    std::vector<Node> all;
    std::vector<Workload> work;
    for (const char* name : {"n1", "n2"}) {
      all.push_back(test::node(name, {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})}));
      work.push_back(test::running(name, "alice", {test::holds(name, {{0}})}));
      work.back().ends = *work.back().started + std::chrono::hours(5);
    }
    for (const char* name : {"n3", "n4"}) all.push_back(test::node(name, {test::uncut(0, 0)}));
    return std::make_unique<test::StandingBackend>(all, work);
  };
  starts = [&](test::FakeRuns& room) {
    begun.push_back(asked.plan->intent);
    for (const NodeName& node : begun.back().nodes)
      room.write(node.text, plan::NodeFinished{plan::Outcome::wanted, "as wanted"});
    room.write("", plan::RunFinished{plan::Outcome::wanted, "done"});
  };
  std::string soon = kSoon;
  soon.replace(soon.find("n[1-2]"), 6, "n[1-4]");
  run({"run", file(soon)});
  ASSERT_EQ(begun.size(), 1u) << err.str();
  EXPECT_EQ(begun[0].nodes, (std::vector<NodeName>{NodeName("n1"), NodeName("n2")}));
  EXPECT_EQ(begun[0].options.canary, 0) << "both are closed at once";
  EXPECT_GE(begun[0].options.batch, 2);
  EXPECT_TRUE(plan::changes_one_first(*asked.plan)) << "of those that become empty together";
  begun.clear();
  later = 4 * 3600 - 26;  // just before it opens: each look at the clock takes a second here
  run({"run", file(soon)});
  ASSERT_EQ(begun.size(), 2u) << err.str();
  EXPECT_FALSE(plan::changes_one_first(*asked.plan));
  EXPECT_EQ(begun[1].nodes, (std::vector<NodeName>{NodeName("n3"), NodeName("n4")}));
  EXPECT_EQ(begun[1].options.canary, 1) << "what is changed at once is tried on one first";
}

// Nobody wants a canary there, or there is nothing to try it on.
TEST_F(FleetCommandLine, NodesThatAreClosedTogetherAreChangedTogetherWhereNoCanaryIsAskedFor) {
  options.write = options.yes = true;
  Workload bobs = test::running("2", "bob", {test::holds("n2", {{0}})});
  bobs.ends = alices.ends = *alices.started + std::chrono::hours(5);
  const auto first_alone = [&](const std::string& text) {
    stands = [&] {
      return std::make_unique<test::StandingBackend>(
          std::vector<Node>{test::node("n1", {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})}),
                            test::node("n2", {test::cut(0, {test::instance("1g.10gb", 6, 1, 0)})})},
          std::vector<Workload>{alices, bobs});
    };
    run({"run", file(text)});
    EXPECT_TRUE(asked.plan) << err.str();
    return asked.plan && plan::changes_one_first(*asked.plan);
  };
  std::string soon = kSoon;
  EXPECT_TRUE(first_alone(soon));
  EXPECT_NE(err.str().find("n1 is closed at "), std::string::npos) << err.str();
  std::string goes_on = soon;
  goes_on.replace(goes_on.find("{lead: '06:00'}"), 15,
                  "{lead: '06:00', max_nodes_at_once: 2}\n  on_failure: go-on");
  EXPECT_FALSE(first_alone(goes_on));
  options.change.canary = 0;
  EXPECT_FALSE(first_alone(soon));
}

}  // namespace
}  // namespace tessera::cli
