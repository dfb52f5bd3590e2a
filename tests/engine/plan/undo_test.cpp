// Undo of runs over several nodes: each goes back to its own layout and orders, also through a plan file; and
// what others have done since is told.
#include "engine/plan/run/undo.hpp"

#include <gtest/gtest.h>

#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/since.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace {

using namespace plan;
using operator_story::everywhere;
using operator_story::step_with;

Intent on_both(Intent intent) {
  intent.nodes = {NodeName("n1"), NodeName("n2")};
  return intent;
}

// n1 was found with 3g.40gb at 4, n2 whole with GPU 1 cut into sevens; both are 7g now.
class UndoOfDifferentNodes : public testing::Test {
 protected:
  UndoOfDifferentNodes() {
    std::vector<Slice> two{instance("2g.20gb", 0, 2, 0), instance("2g.20gb", 2, 2, 1)};
    found.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)}), uncut(1, 1)}),
                            node("n2", {uncut(0, 0), cut(1, two)})}});
    std::vector<Slice> all{instance("7g.80gb", 0, 8, 0)};
    now.tell(NodesListed{{node("n1", {cut(0, all), cut(1, all)}), node("n2", {cut(0, all), cut(1, all)})}});
    RunStarted started;
    started.run = "r1";
    started.plan = make_plan(found.cluster(), catalogue(), on_both(wants("7g.80gb", std::nullopt)),
                             simulator_capabilities(), {}, at(0))
                       .value();
    run = run_of(started);
  }
  Result<Plan> undo() const {
    return plan_undo(run, now.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  }
  static std::string created(const NodePlan& node) { return names(node.created); }
  Story found, now;
  plan::Run run;
};

TEST_F(UndoOfDifferentNodes, EachGoesBackToItsOwnLayout) {
  auto back = undo();
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->nodes.size(), 2u);
  EXPECT_EQ(created(back->nodes[0]), "3g.40gb@4 whole");
  EXPECT_EQ(created(back->nodes[1]), "whole 2g.20gb@0 2g.20gb@2");
  for (const NodePlan& one : back->nodes) {
    auto why = plan::why_not_allowed(one, intent_of(back->intent, one.node), back->means());
    EXPECT_FALSE(why) << *why;
  }
}

// The file says what is wished of each node, so the plan can be made again from it.
TEST_F(UndoOfDifferentNodes, ItsPlanFileIsAppliedAsItWasReviewed) {
  auto back = undo();
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  auto read = parse_plan(to_document(*back), "undo.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent, back->intent);
  auto made = make_plan(now.cluster(), catalogue(), read->intent, simulator_capabilities(), {}, at(2));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  auto why = why_not_as_made(*read, *made);
  EXPECT_FALSE(why) << to_line(*why);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(created(made->nodes[i]), created(back->nodes[i]));
}

TEST_F(UndoOfDifferentNodes, AWishForAnotherNodeOrForNoneIsRefused) {
  Intent intent = undo()->intent;
  intent.boards[0].node = NodeName("n9");
  auto made = make_plan(now.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(2));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(to_line(made.error()).find("not among the nodes"), std::string::npos) << to_line(made.error());
  std::erase_if(intent.boards, [](const BoardWish& one) { return one.node != NodeName("n1"); });
  made = make_plan(now.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(2));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(to_line(made.error()).find("nothing is requested for it"), std::string::npos)
      << to_line(made.error());
}

// Nodes that were found alike share one wish, as scripts know it.
TEST(Undo, NodesThatWereFoundAlikeShareTheirWishes) {
  Story found, now;
  found.tell(NodesListed{{node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)})}});
  now.tell(NodesListed{{node("n1", {cut(0, {})}), node("n2", {cut(0, {})})}});
  RunStarted started;
  started.run = "r1";
  started.plan =
      make_plan(found.cluster(), catalogue(), on_both(wants("7g.80gb")), simulator_capabilities(), {}, at(0))
          .value();
  auto back = plan_undo(run_of(started), now.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  ASSERT_EQ(back->intent.boards.size(), 1u);
  EXPECT_FALSE(back->intent.boards[0].node);
}

TEST(Undo, OfANodeWhoseLayoutWasNotToldSaysSo) {
  Story found;
  found.tell(NodesListed{{node("n1", {uncut(0, 0)})}});
  RunStarted started;
  started.run = "r1";
  started.plan =
      make_plan(found.cluster(), catalogue(), wants("7g.80gb"), simulator_capabilities(), {}, at(0)).value();
  started.plan.nodes[0].before.clear();
  auto back = plan_undo(run_of(started), found.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().reason, "the earlier layout of n1 is not known");
  started.plan.nodes[0].steps.clear();
  back = plan_undo(run_of(started), found.cluster(), catalogue(), simulator_capabilities(), {}, at(1));
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().reason, "run r1 was to change nothing");
}

// Two nodes, alike but for the name of what is ordered of them: each has its own order back.
TEST(Undo, NodesThatWereOrderedDifferentlyAreOrderedThatAgain) {
  operator_story::Kubernetes k;
  k.site.node_config["n2"] = operators::mig_file(std::string(operator_story::kStaticFile) +
                                                 "  theirs:\n    - devices: all\n      mig-enabled: false\n");
  k.site.labels["n2"] = k.site.labels["n1"];
  k.site.labels["n2"]["nvidia.com/mig.config"] = "theirs";
  k.tell(NodesListed{{node("n1", {uncut(0, 0)}), node("n2", {uncut(0, 0)})}});
  RunStarted started;
  started.run = "r1";
  started.plan = k.plan(on_both(everywhere("7x1g.10gb")));
  for (const char* node : {"n1", "n2"}) k.site.labels[node]["nvidia.com/mig.config"] = "all-1g.10gb";
  auto back = plan_undo(run_of(started), k.cluster(), catalogue(), k.can(), {}, at(1));
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  auto ordered = [&](std::size_t i) {
    return std::get<Special>(step_with(back->nodes[i].steps, "order-mig").action).arguments.at("config");
  };
  EXPECT_EQ(ordered(0), "all-disabled");
  EXPECT_EQ(ordered(1), "theirs");
  auto read = parse_plan(to_document(*back), "undo.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent.node_orders, back->intent.node_orders);
  EXPECT_EQ(read->intent.node_orders.at("n2").at("nvidia.com/mig.config"), "theirs");
  EXPECT_EQ(read->undoes, "r1");
}

// One shared its GPUs by renamed shares, the other refused several: each has its own switches back.
TEST(Undo, NodesWithDifferentSwitchesHaveEachItsOwnBack) {
  Intent first, second;
  first.nodes = {NodeName("n1")}, second.nodes = {NodeName("n2")};
  first.boards = second.boards = {{std::nullopt, {}}};
  first.switches = {true, false};
  second.switches = {false, std::nullopt};
  const Intent both = joined({first, second});
  EXPECT_FALSE(both.switches.any());
  Plan plan;
  plan.intent = both;
  auto read = parse_plan(to_document(plan), "undo.json");
  ASSERT_TRUE(read.ok()) << to_line(read.error());
  EXPECT_EQ(read->intent, both);
  EXPECT_EQ(intent_of(read->intent, NodeName("n1")).switches, first.switches);
  EXPECT_EQ(intent_of(read->intent, NodeName("n2")).switches, second.switches);
  Intent one_for_all = both;
  one_for_all.switches.refuse_several = true;
  EXPECT_EQ(intent_of(one_for_all, NodeName("n2")).switches, (WishedSwitches{false, true}))
      << "what a node does not say is as for all";
}

// --- what others have done since

BoardState board(Strategy strategy, int replicas = 1, std::vector<std::string> profiles = {}) {
  BoardState state;
  state.gpu = GpuIndex{0};
  state.strategy = strategy, state.mig = strategy == Strategy::mig, state.replicas = replicas;
  for (const std::string& one : profiles) state.instances.push_back({ProfileName(one), {}, std::nullopt});
  return state;
}
NodePlan between(BoardState before, BoardState after) {
  NodePlan plan;
  plan.node = NodeName("n1");
  plan.before = {std::move(before)}, plan.after = {std::move(after)};
  return plan;
}

TEST(Since, ABoardOnItsWayIsTheRunsOwnAndMoreOfAnythingIsOthers) {
  const NodePlan run = between(board(Strategy::mig, 1, {"3g.40gb", "2g.20gb"}),
                               board(Strategy::mig, 1, {"1g.10gb", "1g.10gb"}));
  auto others = [&](const BoardState& now) { return !done_by_others({&run}, between(now, now)).empty(); };
  EXPECT_FALSE(others(board(Strategy::mig, 1, {})));
  EXPECT_FALSE(others(board(Strategy::whole)));
  EXPECT_FALSE(others(board(Strategy::mig, 1, {"3g.40gb", "1g.10gb", "1g.10gb"})));
  EXPECT_TRUE(others(board(Strategy::mig, 1, {"3g.40gb", "3g.40gb"}))) << "one more than was found";
  EXPECT_TRUE(others(board(Strategy::mig, 1, {"4g.40gb"})));
}

TEST(Since, AWayOfSharingIsTheRunsOwnOnlyAsItWasFoundOrWished) {
  BoardState vgpu = board(Strategy::vgpu, 4);
  vgpu.vgpu = ProfileName("H100-20C");
  const NodePlan run = between(board(Strategy::mps, 4), vgpu);
  auto others = [&](const BoardState& now) { return !done_by_others({&run}, between(now, now)).empty(); };
  EXPECT_FALSE(others(board(Strategy::mps, 4)));
  EXPECT_FALSE(others(vgpu));
  EXPECT_TRUE(others(board(Strategy::mps, 8))) << "other replicas";
  EXPECT_TRUE(others(board(Strategy::time_slicing, 4))) << "another way";
  BoardState other = vgpu;
  other.vgpu = ProfileName("H100-40C");
  EXPECT_TRUE(others(other)) << "another type";
}

}  // namespace
}  // namespace tessera::test
