// Nodes that tessera fleet run closes together for a window, and which of them is changed first.
#include "engine/plan/run/one_first.hpp"
#include "tests/tui/cli/fleet_lab.hpp"

namespace tessera::cli {
namespace {

using test::FleetCommandLine;
using test::kSoon;

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
  later = 4 * 3600 - 20;  // just before it opens
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
