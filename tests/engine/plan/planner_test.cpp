#include "engine/plan/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/effect/diff.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/plan/notices.hpp"
#include "engine/plan/run/run.hpp"
#include "tests/engine/plan/boards.hpp"

namespace tessera::test {
namespace {

using plan::Hit;
using plan::Means;
using plan::Plan;

// alice holds 1g@0; 1g@1 and 3g@4 are free; the second GPU runs bob's job whole.
struct Stage : Story {
  Stage() {
    tell(NodesListed{{test::node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("1g.10gb", 1, 1, 1),
                                                instance("3g.40gb", 4, 4, 2)}),
                                        uncut(1, 3)})}});
    Workload bob = running("8", "bob", {holds("n1", {{3, 1}}), holds("n2", {{0, 1}, {1, 1}})});
    bob.requests = {{"gpu:h100", 3}};
    tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})}), bob}});
  }
  Plan plan_for(const plan::Intent& intent, const Means& can = plan::simulator_capabilities(),
                const plan::SiteRules& rules = {}) {
    auto made = plan::make_plan(cluster(), catalogue(), intent, can, rules, at(0));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    return made.ok() ? *made : Plan{};
  }
  Error refusal(const plan::Intent& intent, const Means& can = plan::simulator_capabilities()) {
    auto made = plan::make_plan(cluster(), catalogue(), intent, can, {}, at(0));
    EXPECT_FALSE(made.ok());
    return made.ok() ? Error{} : made.error();
  }
};

bool has_notice(const Plan& plan, const std::string& rule) {
  return std::any_of(plan.notices.begin(), plan.notices.end(),
                     [&](const plan::Notice& one) { return one.rule == rule; });
}

TEST(Planner, ASimulatedSlurmNodeWhoseSlurmdRunsInAPodIsNotCutFromSlurmsSide) {
  Stage stage;
  Node node = stage.node("n1");
  node.host_pod = HostPod{"slurm", "worker-0"};
  stage.tell(NodeSeen{node});
  const Error error = stage.refusal(wants("3x1g.10gb,2g.20gb@4"));
  EXPECT_NE(error.reason.find("slurmd runs in pod slurm/worker-0 (Slinky)"), std::string::npos)
      << error.reason;
  EXPECT_NE(error.hint.find("Kubernetes node"), std::string::npos);
}

// A plan file and the journal of its run are told apart from others by it.
TEST(Planner, TheIdIsThatOfItsIntent) {
  Stage stage;
  const std::string id = stage.plan_for(wants("3x1g.10gb,2g.20gb@4")).id;
  EXPECT_TRUE(id.starts_with("p-")) << id;
  EXPECT_EQ(id.size(), 10u) << id;
  EXPECT_EQ(stage.plan_for(wants("3x1g.10gb,2g.20gb@4")).id, id);
  EXPECT_NE(stage.plan_for(wants("3x1g.10gb,2g.20gb@4", 1)).id, id);
}

TEST(Planner, WhatStandsInBothLayoutsStays) {
  Stage stage;
  Plan plan = stage.plan_for(wants("3x1g.10gb,2g.20gb@4"));
  const plan::NodePlan& node = plan.nodes.at(0);
  EXPECT_EQ(names(node.kept), "1g.10gb@0 1g.10gb@1");
  EXPECT_EQ(names(node.destroyed), "3g.40gb@4");
  EXPECT_EQ(node.created.size(), 2u);
  EXPECT_TRUE(node.blast_radius.empty());
  EXPECT_EQ(plan.offered_before.slurm.at("gpu:3g.40gb"), 1);
  EXPECT_EQ(plan.offered_after.slurm.at("gpu:3g.40gb"), 0);
  EXPECT_EQ(plan.offered_after.slurm.at("gpu:1g.10gb"), 3);
}

// It would not name everyone whom it disturbs.
TEST(Planner, WithoutTheWholeListOfWorkNoPlanIsMade) {
  const Error down{"cannot list the jobs", "scontrol ended with status 1", ""};
  for (const SourceReport& jobs :
       {SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}, "line 2: job 8 is cut short", true},
        SourceReport{Source::slurm_jobs, down, Duration{5}}}) {
    Stage stage;
    stage.tell(SourceReport{Source::slurm_nodes, std::nullopt, Duration{5}});
    EXPECT_NE(stage.refusal(wants("3x1g.10gb,2g.20gb@4")).reason.find("has not been read yet"),
              std::string::npos);
    stage.tell(jobs);
    Error refused = stage.refusal(wants("3x1g.10gb,2g.20gb@4"));
    EXPECT_NE(refused.reason.find("who runs on its nodes is not fully known: "), std::string::npos);
    stage.tell(SourceReport{Source::slurm_jobs, std::nullopt, Duration{5}});
    stage.plan_for(wants("3x1g.10gb,2g.20gb@4"));
  }
}

TEST(Planner, AFreeChoiceOfPlacesGoesAroundWhatIsHeld) {
  Stage stage;
  stage.tell(NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 5, 1, 0)})})}});
  Plan plan = stage.plan_for(wants("3g.40gb,2x1g.10gb"));
  EXPECT_EQ(names(plan.nodes[0].kept), "1g.10gb@5");
  EXPECT_EQ(names(plan.nodes[0].destroyed), "");
  EXPECT_TRUE(plan.nodes[0].blast_radius.empty());
  EXPECT_FALSE(plan.nodes[0].needs.drain);
}

TEST(Planner, AHeldSliceInTheWayIsNamedWithTheNearestLayoutsAroundIt) {
  Stage stage;
  Plan plan = stage.plan_for(wants("7g.80gb"));
  auto notice = std::find_if(plan.notices.begin(), plan.notices.end(),
                             [](const plan::Notice& one) { return one.rule == "in-the-way"; });
  ASSERT_NE(notice, plan.notices.end());
  EXPECT_NE(notice->text.find("1g.10gb@0 held by 7 (alice) is in the way"), std::string::npos)
      << notice->text;
  EXPECT_NE(notice->text.find("you can have 1g.10gb@0"), std::string::npos) << notice->text;
  ASSERT_EQ(plan.nodes[0].blast_radius.size(), 1u);
  EXPECT_EQ(plan.nodes[0].blast_radius[0].user, "alice");
  EXPECT_EQ(plan.nodes[0].blast_radius[0].hit, Hit::unasked);  // her job never asked for a GPU
}

TEST(Planner, EachBackendDisturbsItsOwnUnitAndNoMore) {
  Stage stage;
  plan::Intent intent = wants("3x1g.10gb,2g.20gb@4");
  // The simulator: only the slice that goes, and that one is not held.
  EXPECT_TRUE(stage.plan_for(intent).nodes[0].blast_radius.empty());
  // The GPU operator: the whole GPU, and alice with it; her slice goes although it is in both layouts.
  Plan by_operator = stage.plan_for(intent, plan::gpu_operator_capabilities());
  ASSERT_EQ(by_operator.nodes[0].blast_radius.size(), 1u);
  EXPECT_EQ(by_operator.nodes[0].blast_radius[0].user, "alice");
  EXPECT_EQ(by_operator.nodes[0].kept.size(), 0u);
  EXPECT_EQ(by_operator.nodes[0].destroyed.size(), 3u);
  // Slurm: the whole node, bob on the other GPU, too; he only stands in the way.
  Plan by_slurm = stage.plan_for(intent, plan::slurm_capabilities());
  ASSERT_EQ(by_slurm.nodes[0].blast_radius.size(), 2u);
  EXPECT_EQ(by_slurm.nodes[0].blast_radius[0].user, "bob");
  EXPECT_EQ(by_slurm.nodes[0].blast_radius[0].hit, Hit::in_the_way);
  EXPECT_FALSE(by_slurm.no_steps.empty());
}

// Of those who are in the way, who loses a slice by it is told apart from who only has to leave the node.
TEST(Planner, WhoHoldsWhatGoesIsToldApartFromWhoIsOnlyInTheWay) {
  Story story;
  story.tell(NodesListed{
      {node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 4, 4, 1)}), uncut(1, 2)})}});
  std::vector<Workload> jobs{running("7", "alice", {holds("n1", {{0, 1}})}),
                             running("8", "bob", {holds("n1", {{1, 1}})}),
                             running("9", "carol", {holds("n1", {{2, 1}})})};
  for (Workload& job : jobs) job.requests = {{"gpu", 1}};
  story.tell(WorkloadsListed{jobs});
  plan::Means can = plan::simulator_capabilities();
  can.instances = plan::Unit::node, can.empties_all_work = true;
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("2g.20gb@0,3g.40gb@4"), can, {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  std::map<std::string, plan::Hit> hits;
  for (const plan::Disturbed& one : made->nodes[0].blast_radius) hits[one.id.text] = one.hit;
  EXPECT_EQ(hits.at("7"), plan::Hit::holds) << "its slice goes";
  EXPECT_EQ(hits.at("8"), plan::Hit::in_the_way) << "its slice stays";
  EXPECT_EQ(hits.at("9"), plan::Hit::in_the_way) << "its board stays as it is";
}

TEST(Planner, ANodeThatIsNamedTwiceIsRefused) {
  Stage stage;
  plan::Intent twice = wants("7x1g.10gb");
  twice.nodes = {NodeName("n1"), NodeName("n1")};
  EXPECT_EQ(stage.refusal(twice).reason, "it is named twice");
}

TEST(Planner, AResetThatAnEarlierBoardNeedsIsNotForgottenForALaterOneThatNeedsNone) {
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0, "A100-40GB"), uncut(1, 1)})}});
  plan::Intent intent = wants("7x1g.5gb", 0);
  intent.boards.push_back(wants("7x1g.10gb", 1).boards[0]);
  auto made =
      plan::make_plan(story.cluster(), catalogue(), intent, plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  EXPECT_TRUE(made->nodes[0].needs.reset);
}

TEST(Planner, AnotherVgpuTypeIsAChange) {
  Story story;
  Slice machine = whole(0);
  machine.kind = SliceKind::vgpu;
  machine.profile = ProfileName("L40S-8Q");
  Gpu board = gpu(0, Strategy::vgpu, {machine});
  story.tell(NodesListed{{node("n1", {board})}});
  plan::Intent intent = shares(Strategy::vgpu, 1);
  plan::Means can = plan::gpu_operator_capabilities();
  for (const auto& [type, changes] : {std::pair("L40S-8Q", false), std::pair("L40S-16Q", true)}) {
    intent.boards[0].wish.vgpu = ProfileName(type);
    auto change =
        plan::diff_board(story.cluster().nodes.all()[0].gpus[0], nullptr, intent.boards[0].wish, can);
    ASSERT_TRUE(change.ok()) << to_line(change.error());
    EXPECT_EQ(change->sharing_changes, changes) << type;
  }
}

// The driver's spelling of a profile is another than the catalogue's: whose the instance is cannot be looked
// up.
TEST(Planner, AnInstanceWhoseHolderCannotBeToldCountsAsHeld) {
  Slice spelled = instance("1g.10gb.me", 0, 1, 0);
  spelled.holding = Holding::free;
  auto change = plan::diff_board(cut(0, {spelled}), &h100(), plan::parse_layout_wish("7g.80gb").value(),
                                 plan::simulator_capabilities());
  ASSERT_TRUE(change.ok()) << to_line(change.error());
  EXPECT_EQ(change->in_the_way.size(), 1u);
}

TEST(Planner, AJobThatCompletesIsNotAwayYet) {
  plan::NodeFacts facts;
  Workload job = running("7", "alice", {});
  job.state = WorkloadState::completing;
  facts.workloads = {job};
  EXPECT_EQ(plan::unmet(plan::WorkloadAway{job.id}, facts, "r1"), "7 is still completing");
  facts.workloads[0].state = WorkloadState::ended;
  EXPECT_FALSE(plan::unmet(plan::WorkloadAway{job.id}, facts, "r1"));
}

// The driver gives ids again; the one of the plan may be another instance by now.
TEST(Planner, AnInstanceIsDestroyedByTheIdThatItHasNow) {
  plan::NodeFacts facts;
  Slice made_again = instance("1g.10gb", 5, 1, 0);
  made_again.instance_id = 13;
  facts.node = node("n1", {cut(0, {made_again})});
  plan::DestroyInstances act{GpuIndex{0}, {{ProfileName("1g.10gb"), {5, 1}, 7}}};
  auto left = plan::narrow(act, facts, "r1");
  ASSERT_TRUE(left);
  EXPECT_EQ(std::get<plan::DestroyInstances>(*left).instances.at(0).id, 13);
}

TEST(Planner, AMultiNodeJobCountsWithAllItsGpus) {
  Stage stage;
  stage.tell(NodeSeen{test::node("n2", {uncut(0, 0), uncut(1, 1)})});
  Plan plan = stage.plan_for(wants("7x1g.10gb", 1));
  ASSERT_EQ(plan.nodes[0].blast_radius.size(), 1u);
  const plan::Disturbed& bob = plan.nodes[0].blast_radius[0];
  EXPECT_EQ(bob.gpus, 3);
  EXPECT_EQ(bob.nodes, 2);
  EXPECT_NEAR(bob.gpu_hours.value(), 3.0, 1e-9);
  EXPECT_TRUE(plan.nodes[0].needs.mode_change);
  EXPECT_FALSE(plan.nodes[0].needs.reset);
}

// Slurm lists the nodes of a job of which only one offers GPUs that tessera sees.
TEST(Planner, AJobIsOverAsManyNodesAsItsSchedulerCounts) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})})}});
  Workload job = running("9", "carol", {holds("n1", {{0, 1}})});
  job.node_count = 4;
  story.tell(WorkloadsListed{{job}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  EXPECT_EQ(made->nodes[0].blast_radius.at(0).nodes, 4);
}

// A 1g.10gb that was held for an hour is a seventh of a GPU-hour, not one.
TEST(Planner, HoursOfASliceAreNotHoursOfAGpu) {
  Stage stage;
  Plan plan = stage.plan_for(wants("7g.80gb"));
  ASSERT_EQ(plan.nodes[0].blast_radius.size(), 1u);
  EXPECT_NEAR(plan.nodes[0].blast_radius[0].gpu_hours.value(), 1.0 / 7, 1e-9);
}

// The plan offered to open a node again that ops had drained for an Xid, and did not say so.
TEST(Planner, ANodeThatAnotherHasClosedIsSaidFirst) {
  auto first_notice = [](Health health, const std::string& reason) {
    Node closed = test::node("n1", {cut(0, {})});
    closed.health = health;
    closed.reason = reason;
    closed.reason_by = "ops";
    Story story;
    story.tell(NodesListed{{closed}});
    auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"),
                                plan::simulator_capabilities(), {}, at(0));
    EXPECT_TRUE(made.ok());
    return made.ok() && !made->notices.empty() ? made->notices.front() : plan::Notice{};
  };
  const plan::Notice drained = first_notice(Health::drained, "Xid 79 on GPU 5");
  EXPECT_TRUE(plan::is_about_closing(drained)) << drained.rule;
  EXPECT_EQ(drained.severity, Severity::danger);
  EXPECT_NE(drained.text.find("drained by another: Xid 79 on GPU 5 [ops]"), std::string::npos)
      << drained.text;
  const plan::Notice down = first_notice(Health::down, "no heartbeat");
  EXPECT_NE(down.text.find("down: no heartbeat [ops]. The run waits at its first step"), std::string::npos)
      << down.text;
  EXPECT_FALSE(plan::is_about_closing(first_notice(Health::ok, "")));
}

TEST(Planner, AModeChangeOnAmpereResetsAllBoardsAndMakesTheirInstancesAgain) {
  Story story;
  story.tell(NodesListed{
      {node("n1", {uncut(0, 0, "A100-40GB"), cut(1, {instance("3g.20gb", 4, 4, 1)}, "A100-40GB")})}});
  story.tell(WorkloadsListed{{running("9", "carol", {holds("n1", {{1, 1}})})}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("3g.20gb,3g.20gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  const plan::NodePlan& node = made->nodes[0];
  EXPECT_TRUE(node.needs.reset);
  ASSERT_EQ(node.blast_radius.size(), 1u);
  EXPECT_EQ(node.blast_radius[0].user, "carol");
  EXPECT_EQ(std::count_if(node.created.begin(), node.created.end(),
                          [](const plan::SlicePlan& one) { return one.recreated; }),
            1);
  EXPECT_TRUE(has_notice(*made, "dragged"));
}

// Six lines that were the same but for the number stood before what else was to be known.
TEST(Planner, GpusThatAreResetTooAreNamedInOneNotice) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {uncut(0, 0, "A100-40GB"), cut(1, {instance("3g.20gb", 4, 4, 1)}, "A100-40GB"),
                               cut(2, {instance("1g.5gb", 0, 1, 1)}, "A100-40GB")})}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("3g.20gb,3g.20gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  std::vector<std::string> dragged;
  for (const plan::Notice& one : made->notices)
    if (one.rule == "dragged") dragged.push_back(one.text);
  EXPECT_EQ(dragged, std::vector<std::string>{
                         "GPU 1,2 are reset too: their instances are destroyed and created again"});
}

TEST(Planner, WhoHoldsAWholeGpuThatIsCutHoldsWhatGoes) {
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0)})}});
  Workload job = running("9", "carol", {holds("n1", {{0, 1}})});
  job.requests = {{"gpu", 1}};
  story.tell(WorkloadsListed{{job}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  ASSERT_EQ(made->nodes[0].blast_radius.size(), 1u);
  EXPECT_EQ(made->nodes[0].blast_radius[0].hit, Hit::holds) << "nothing of it is destroyed by name";
}

TEST(Planner, WhereTheBackendNeedsItAnInstanceInFreePlacesClosesTheNodeToo) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)})})}});
  for (const bool closes : {false, true}) {
    plan::Means can = plan::simulator_capabilities();
    can.needs_closing = closes;
    auto made = plan::make_plan(story.cluster(), catalogue(), wants("3g.40gb,3g.40gb"), can, {}, at(0));
    ASSERT_TRUE(made.ok()) << to_line(made.error());
    EXPECT_FALSE(made->nodes[0].scope) << "nobody is in the way";
    EXPECT_EQ(made->nodes[0].needs.drain, closes);
  }
}

TEST(Planner, AResetThatWouldMakeAnotherBoardsPendingModeTrueIsRefused) {
  Story story;
  Gpu other = uncut(1, 1, "A100-40GB");
  other.mig_mode = MigMode::enable_pending;
  story.tell(NodesListed{{node("n1", {uncut(0, 0, "A100-40GB"), other})}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("3g.20gb,3g.20gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().reason.find("GPU 1"), std::string::npos) << to_line(made.error());
  EXPECT_NE(made.error().hint.find("nvidia-smi -i 1 -mig 0"), std::string::npos) << to_line(made.error());
}

TEST(Planner, AClientThatNoSchedulerKnowsIsCountedAndWaitedFor) {
  Story story;
  Slice hidden = instance("3g.40gb", 4, 4, 0);
  hidden.told_held = true;
  story.tell(NodesListed{{node("n1", {cut(0, {hidden})})}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->nodes[0].blast_radius.size(), 1u);
  EXPECT_EQ(made->nodes[0].blast_radius[0].hit, Hit::unknown);
  EXPECT_TRUE(has_notice(*made, "unknown-client"));
}

TEST(Planner, MigTimesReplicasAdvertisesTheProduct) {
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0), uncut(1, 1)})}});
  plan::Intent intent = wants("3x2g.20gb", std::nullopt);
  intent.boards[0].wish.replicas = 4;
  auto made =
      plan::make_plan(story.cluster(), catalogue(), intent, plan::gpu_operator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  EXPECT_EQ(made->offered_before.kubernetes.at("nvidia.com/gpu"), 2);
  EXPECT_EQ(made->offered_after.kubernetes.at("nvidia.com/gpu"), 2 * 3 * 4);
}

TEST(Planner, InstancesAreOfferedByTheStrategyThatTheNodeTells) {
  Story story;
  Node mixed = node("n1", {uncut(0, 0), uncut(1, 1)});
  auto after = [&](const std::string& label, plan::SiteRules rules = {}) {
    mixed.features = {label};
    story.tell(NodesListed{{mixed}});
    auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb", std::nullopt),
                                plan::gpu_operator_capabilities(), rules, at(0));
    return made.ok() ? made->offered_after.kubernetes : plan::Counts{};
  };
  // All GPUs cut alike would do for "single" as well; the plugin of this node does not ask that.
  EXPECT_EQ(after("nvidia.com/mig.strategy=mixed").at("nvidia.com/mig-1g.10gb"), 14);
  EXPECT_EQ(after("nvidia.com/mig.strategy=single").at("nvidia.com/gpu"), 14);
  EXPECT_EQ(after("zone=a").at("nvidia.com/gpu"), 14);  // not reported: what fits the layout
  plan::SiteRules site;
  site.strategy = sharing::MigStrategy::single;
  EXPECT_EQ(after("zone=a", site).at("nvidia.com/gpu"), 14) << "the site's word, where the node says nothing";
  EXPECT_TRUE(after("nvidia.com/mig.strategy=mixed", site).empty()) << "refused: the plugin runs otherwise";
}

TEST(Planner, EightGpusThatBecomeFiftySixSlicesChangeWhatALimitMeans) {
  Story story;
  std::vector<Gpu> boards;
  for (int i = 0; i < 8; ++i) boards.push_back(uncut(i, i));
  Node big = node("n1", boards);
  big.cpus = 128;
  story.tell(NodesListed{{big}});
  plan::SiteRules rules;
  rules.default_cpus_per_gpu = 16;
  rules.quotas = {{"physics", 8}};
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb", std::nullopt),
                              plan::simulator_capabilities(), rules, at(0));
  ASSERT_TRUE(made.ok()) << to_line(made.error());
  auto text = [&](const std::string& rule) {
    for (const plan::Notice& one : made->notices)
      if (one.rule == rule) return one.text;
    return std::string();
  };
  EXPECT_NE(text("quota-units").find("from 8 to 56"), std::string::npos) << text("quota-units");
  EXPECT_NE(text("default-cpus").find("896 cores"), std::string::npos) << text("default-cpus");
}

TEST(Planner, PendingWorkThatNeverFitsAgainAndThatWillRun) {
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0)})}});
  story.tell(WorkloadsListed{{waiting("20", "erin", "gpu:h100"), waiting("21", "frank", "gpu:1g.10gb")}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"),
                              plan::simulator_capabilities(), {}, at(0));
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(made->never_again.size(), 1u);
  EXPECT_EQ(made->never_again[0].user, "erin");
  ASSERT_EQ(made->will_run.size(), 1u);
  EXPECT_EQ(made->will_run[0].user, "frank");
}

TEST(Planner, ThreeAndThreeStrandsAComputeSliceThatFourAndThreeWouldNot) {
  Stage stage;
  stage.tell(NodesListed{{node("n1", {uncut(0, 0)})}});
  Plan plan = stage.plan_for(wants("2x3g.40gb"));
  auto notice = std::find_if(plan.notices.begin(), plan.notices.end(),
                             [](const plan::Notice& one) { return one.rule == "wasted-compute"; });
  ASSERT_NE(notice, plan.notices.end());
  EXPECT_NE(notice->text.find("strands 1 compute slice; 4g.40gb+3g.40gb strands none"), std::string::npos)
      << notice->text;
}

TEST(Planner, AWishThatIsTrueAlreadyHasNoSteps) {
  Stage stage;
  Plan plan = stage.plan_for(wants("1g.10gb@0,1g.10gb@1,3g.40gb@4"));
  EXPECT_FALSE(plan.changes_anything());
}

TEST(Planner, SlurmsMpsIsPercentOfABoardOrTheSitesOwnCount) {
  Stage stage;
  auto replicas_after = [&](int wished) {
    const Plan plan = stage.plan_for(shares(Strategy::mps, wished));
    EXPECT_FALSE(plan.nodes[0].after.empty());
    return plan.nodes[0].after.empty() ? 0 : plan.nodes[0].after[0].replicas;
  };
  EXPECT_EQ(replicas_after(1), 100);
  EXPECT_EQ(replicas_after(200), 200) << "a way back to what stood before";
  // It stands already, and so nothing is to be done.
  Gpu by_mps = uncut(0, 0);
  by_mps.strategy = Strategy::mps, by_mps.replicas = 200;
  stage.tell(NodesListed{{node("n1", {by_mps})}});
  EXPECT_FALSE(stage.plan_for(shares(Strategy::mps, 1)).changes_anything());
}

TEST(Planner, WhatCannotBeIsRefusedWithTheReason) {
  Stage stage;
  EXPECT_NE(stage.refusal(wants("8x1g.10gb")).reason.find("at most 7"), std::string::npos);
  EXPECT_NE(stage.refusal(wants("1g.5gb")).reason.find("no profile 1g.5gb"), std::string::npos);
  plan::Intent nowhere = wants("none");
  nowhere.nodes = {NodeName("n9")};
  EXPECT_NE(stage.refusal(nowhere).reason.find("no such node"), std::string::npos);
  EXPECT_NE(stage.refusal(wants("none", 5)).reason.find("no GPU 5"), std::string::npos);
  EXPECT_NE(stage.refusal(shares(Strategy::shard, 1)).reason.find("1 replicas"), std::string::npos);
  EXPECT_FALSE(stage.refusal(shares(Strategy::time_slicing, 4), plan::slurm_capabilities()).reason.empty());
}

TEST(Planner, ThePlanTellsWhatHasMovedSince) {
  Stage stage;
  Plan plan = stage.plan_for(wants("7g.80gb"));
  EXPECT_TRUE(plan::what_moved(plan, stage.cluster()).empty());
  stage.tell(WorkloadSeen{running("30", "mallory", {holds("n1", {{2, 1}})})});
  auto moved = plan::what_moved(plan, stage.cluster());
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].text, "now: GPU 0 3g.40gb@4 held by 30 (mallory)");
  EXPECT_FALSE(plan::may_apply(moved));
  stage.tell(WorkloadGone{WorkloadId("30")});
  stage.tell(WorkloadGone{WorkloadId("7")});
  EXPECT_TRUE(plan::may_apply(plan::what_moved(plan, stage.cluster())));
}

TEST(Planner, UndoWantsExactlyWhatStoodBefore) {
  Stage stage;
  Plan plan = stage.plan_for(wants("7g.80gb"));
  plan::Intent back = plan::undo_intent(plan, plan.nodes[0], "undo");
  ASSERT_EQ(back.boards.size(), 1u);
  EXPECT_EQ(plan::to_text(back.boards[0].wish), "1g.10gb@0 + 1g.10gb@1 + 3g.40gb@4");
}

TEST(Planner, OneMessageForEachOwner) {
  Stage stage;
  auto texts = plan::messages(stage.plan_for(wants("7g.80gb", std::nullopt)));
  ASSERT_EQ(texts.size(), 2u);
  EXPECT_EQ(texts[0].user, "alice");
  EXPECT_NE(texts[1].text.find("3 GPUs on 2 nodes in all"), std::string::npos) << texts[1].text;
  EXPECT_NE(texts[1].text.find("we wait until it ends"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test
