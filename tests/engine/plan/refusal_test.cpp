// What a plan takes for granted and what it refuses: units, modes, holders, orders of other hands.
#include "engine/plan/refusal.hpp"

#include <gtest/gtest.h>

#include "engine/operators/fleet.hpp"
#include "engine/plan/effect/blast.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::refusal_story {
namespace {

using namespace plan;
using operator_story::everywhere;
using operator_story::has;
using operator_story::kStaticFile;
using operator_story::Kubernetes;
using operator_story::step_with;

BoardChange change_of(int gpu) {
  BoardChange change;
  change.gpu = GpuIndex{gpu};
  return change;
}
std::vector<int> boards_in(const std::optional<Scope>& scope) {
  std::vector<int> all;
  if (scope)
    for (const Scope::Board& board : scope->boards) all.push_back(board.gpu.value);
  return all;
}

// Fleet files leave a node out by it, before its plan is made.
TEST(WhyNotChanged, SaysWhatThePlanOfThatNodeSays) {
  const auto agrees = [](const Kubernetes& k, const Intent& intent) {
    const auto made = k.make(intent);
    const std::string why = why_not_changed(k.cluster(), catalogue(), intent, k.can(), {});
    std::string says = made ? made->no_steps : to_line(made.error());
    const std::string asked = "cannot plan n1: ";  // whoever asks says so already
    if (says.starts_with(asked)) says.erase(0, asked.size());
    EXPECT_EQ(why, says);
    return why;
  };
  Kubernetes k;
  EXPECT_EQ(agrees(k, everywhere("7x1g.10gb")), "");
  EXPECT_EQ(agrees(k, everywhere("none")), "") << "nothing to do is no refusal";
  EXPECT_NE(agrees(k, everywhere("7x2g.20gb")), "") << "no room";
  EXPECT_NE(agrees(k, wants("7x1g.10gb", 9)), "") << "it has no such GPU";
  Node upgraded = node("n1", {uncut(0, 0), uncut(1, 1)});
  upgraded.features = {"nvidia.com/gpu-driver-upgrade-state=upgrade-failed"};
  k.tell(NodesListed{{upgraded}});
  EXPECT_NE(agrees(k, everywhere("7x1g.10gb")).find("has failed"), std::string::npos);
  Kubernetes bare;
  bare.site.policy.clear();
  EXPECT_NE(agrees(bare, everywhere("7x1g.10gb")).find("no ClusterPolicy"), std::string::npos);
}

// The device plugin restarts for the node as a whole.
TEST(Scopes, AnotherWayOfSharingTakesInAllThatTheBackendChangesWithIt) {
  const Node two = node("n1", {uncut(0, 0), uncut(1, 1)});
  BoardChange change = change_of(0);
  change.sharing_changes = true;
  EXPECT_EQ(boards_in(scope_of(two, {change}, gpu_operator_capabilities())), (std::vector<int>{0, 1}));
  EXPECT_EQ(boards_in(scope_of(two, {change}, simulator_capabilities(Scheduler::slurm))),
            (std::vector<int>{0}));
}

TEST(Scopes, AResetTakesInEveryBoardOfTheNode) {
  const Node two = node("n1", {uncut(0, 0, "A100-40GB"), uncut(1, 1, "A100-40GB")});
  BoardChange change = change_of(0);
  change.product = catalogue().by_key("A100-40GB");
  change.mode_changes = true;
  EXPECT_EQ(boards_in(scope_of(two, {change}, simulator_capabilities(Scheduler::slurm))),
            (std::vector<int>{0, 1}));
  change.product = catalogue().by_key("H100-80GB-SXM5");
  EXPECT_EQ(boards_in(scope_of(two, {change}, simulator_capabilities(Scheduler::slurm))),
            (std::vector<int>{0}))
      << "Hopper needs none";
}

TEST(Scopes, AModeChangeNeedsAResetOnAmpereAlone) {
  BoardChange change = change_of(0);
  change.product = catalogue().by_key("A100-40GB");
  change.mode_changes = true;
  EXPECT_TRUE(needs_of({change}, slurm_capabilities(), Scope{}).reset);
  change.product = catalogue().by_key("H100-80GB-SXM5");
  EXPECT_FALSE(needs_of({change}, slurm_capabilities(), Scope{}).reset);
}

TEST(Moved, AGpuThatIsGoneSinceStopsThePlan) {
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0), uncut(1, 1)})}});
  auto made = make_plan(story.cluster(), catalogue(), wants("7x1g.10gb", 1),
                        simulator_capabilities(Scheduler::slurm), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  story.tell(NodesListed{{node("n1", {uncut(0, 0)})}});
  const std::vector<Moved> moved = what_moved(*made, story.cluster());
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].text.rfind("no longer: GPU 1 ", 0), 0u) << moved[0].text;
  EXPECT_FALSE(may_apply(moved));
}

TEST(Refusals, AGpuWhoseSharingIsNotReportedIsNotPlanned) {
  Gpu gpu = uncut(0, 0);
  gpu.strategy = Strategy::unknown;
  auto change = diff_board(gpu, &h100(), parse_layout_wish("7x1g.10gb").value(),
                           simulator_capabilities(Scheduler::slurm));
  ASSERT_FALSE(change.ok());
  EXPECT_EQ(change.error().reason, "how it is shared now is not known");
}

TEST(Refusals, SeveralInstancesHaveNoOneStart) {
  auto wish = parse_layout_wish("2x1g.10gb@4");
  ASSERT_FALSE(wish.ok());
  EXPECT_NE(wish.error().reason.find("cannot have the same start"), std::string::npos);
  EXPECT_TRUE(parse_layout_wish("1x1g.10gb@4").ok());
}

// Kubernetes tells two instances of a profile without their places: each is one of them, not both the first.
TEST(Refusals, OfInstancesWithoutPlacesOnlyThoseThatAreHeldAreInTheWay) {
  Gpu gpu = cut(0, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)});
  for (Slice& slice : gpu.slices) slice.placement.reset(), slice.holding = Holding::free;
  gpu.slices[0].holding = Holding::held;
  gpu.slices[0].holders = {{WorkloadId("ml/train"), 1}};
  auto change = diff_board(gpu, &h100(), parse_layout_wish("7x1g.10gb").value(), gpu_operator_capabilities());
  ASSERT_TRUE(change.ok()) << to_line(change.error());
  ASSERT_EQ(change->in_the_way.size(), 1u);
  EXPECT_EQ(change->in_the_way[0].holders, std::vector<WorkloadId>{WorkloadId("ml/train")});
}

// Of two alike one is to stay: the one that is held.
TEST(Refusals, WhatIsHeldStaysBeforeWhatIsFree) {
  const int one = h100().index_of("1g.10gb").value();
  const mig::Layout now{{one, 0}, {one, 1}};
  const Wish wish = parse_layout_wish("1g.10gb").value();
  EXPECT_EQ(target_layout(h100(), wish, now, {true, false}).value(), (mig::Layout{{one, 0}}));
  EXPECT_EQ(target_layout(h100(), wish, now, {false, true}).value(), (mig::Layout{{one, 1}}));
}

// ── giving a node back ────────────────────────────────────────────────────────────────────────────────

TEST(Release, ANodeIsOpenedWhileNoOtherRunHasTakenItAndByTheProofThatThePlanHas) {
  NodePlan plan;
  plan.node = NodeName("n1");
  Step unmark;
  unmark.action = ClearMark{};
  const Condition proof = LayoutIs{GpuIndex{0}, {}, true};
  unmark.before = {proof};
  plan.steps = {unmark};
  end_with_release(plan, Dialect::direct, Scheduler::slurm);
  ASSERT_EQ(plan.steps.size(), 2u);
  const Step& open = plan.steps[0];
  ASSERT_TRUE(std::holds_alternative<OpenNode>(open.action)) << "the plan had no such step";
  EXPECT_TRUE(has(open.before, NoForeignMark{}));
  EXPECT_TRUE(has(open.before, proof));
}

TEST(Release, ThereIsNoWayBackToALayoutThatWasNeverKnown) {
  Kubernetes k;
  RunStarted started;
  started.run = "r1", started.plan = k.plan(everywhere("7x1g.10gb"));
  started.plan.nodes[0].before.clear();
  plan::Run run = run_of(started);
  run.begun[NodeName("n1")] = {"order-mig"};
  const Means can = k.can();
  auto back = plan_onward(run, NodeName("n1"), k.cluster(), catalogue(), {}, true, at(1), &can);
  ASSERT_FALSE(back.ok());
  EXPECT_EQ(back.error().reason, "the earlier layout of n1 is not known, so there is no way back");
}

// ── others' orders and files ──────────────────────────────────────────────────────────────────────────

TEST(Fleet, AFileForAllNodesIsJudgedByWhatAllNodesSayNow) {
  Kubernetes k;
  operators::SharedWrite write{
      true, "n1", "tessera-mig", "", operators::parse_mig_document(kStaticFile, "f").value(), {}};
  ASSERT_EQ(operators::why_not_shared(k.site, write, &catalogue()), std::nullopt);
  Kubernetes old;
  old.site.readings.failed(operators::SitePart::fleet, Error{"cannot list the nodes", "503", ""});
  auto why = operators::why_not_shared(old.site, write, &catalogue());
  ASSERT_TRUE(why) << "what it said before may be over";
  EXPECT_NE(why->find("could not be read since"), std::string::npos) << *why;
  k.site.mig_config_map = "their-layouts";
  why = operators::why_not_shared(k.site, write, &catalogue());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("names their-layouts"), std::string::npos) << *why;
}

TEST(OperatorSteps, AnEvictionThatWasRefusedForGoodIsNotAskedForAgain) {
  Kubernetes k;
  Workload pod = running("ml/train", "alice", {holds("n1", {{0, 1}})});
  pod.kind = WorkloadKind::pod;
  pod.requests = {{"nvidia.com/gpu", 1}};
  k.tell(WorkloadsListed{{pod}});
  Intent intent = everywhere("7x1g.10gb");
  intent.options.way = Way::cancel;
  const std::vector<Step> steps = k.steps(intent);
  const Step& evict = step_with(steps, "evict");
  EXPECT_TRUE(has(evict.before, WordIs{words::of(words::kEviction, "ml/train"), "", false}));
}

}  // namespace
}  // namespace tessera::test::refusal_story
