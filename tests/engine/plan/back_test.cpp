// Going back, where something in the cluster keeps orders and carries them out: what is ordered is as much a
// part of a node's state as what it offers.
#include "engine/plan/run/run.hpp"
#include "engine/plan/run/since.hpp"
#include "engine/plan/run/undo.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::operator_story {
namespace {

using Words = std::map<std::string, std::string>;
constexpr const char* kMig = "nvidia.com/mig.config";

void order(Kubernetes& k, const std::string& config, const std::string& state) {
  k.site.labels["n1"][kMig] = config;
  k.site.labels["n1"]["nvidia.com/mig.config.state"] = state;
}

// A run of n1 that has begun these acts and was stopped there.
plan::Run stopped(const Plan& plan, const std::set<std::string>& begun) {
  plan::RunStarted started;
  started.run = "r1", started.who = "root", started.from = "login1", started.plan = plan;
  plan::Run run = plan::run_of(started);
  if (!begun.empty()) run.begun[NodeName("n1")] = begun;
  return run;
}
Result<Plan> way_back(const Kubernetes& k, const plan::Run& run) {
  const plan::Means can = k.can();
  const Words words;
  return plan::plan_onward(run, NodeName("n1"), k.cluster(), catalogue(), {}, true, at(1), &can, &words);
}
std::string titles(const std::vector<Step>& steps) {
  std::string all;
  for (const Step& step : steps) all += step.title + "\n";
  return all;
}

TEST(Back, AnOrderThatStandsBesideTheOldOfferIsNotSoAlready) {
  Kubernetes k;
  EXPECT_TRUE(k.steps(everywhere("whole")).empty()) << "offered and ordered";
  for (const char* state : {"failed", "pending", "rebooting", "success"}) {
    order(k, "all-1g.10gb", state);
    std::vector<Step> steps = k.steps(everywhere("whole"));
    EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), "all-disabled") << state;
    EXPECT_TRUE(has(step_with(steps, "order-mig").before, plan::NodeClosed{}));
    EXPECT_TRUE(has(step_with(steps, "open-node").before, plan::WordIs{kMig, "all-disabled"}));
    EXPECT_TRUE(
        has(step_with(steps, "open-node").before, plan::WordIs{"nvidia.com/mig.config.state", "success"}));
  }
  order(k, "all-disabled", "failed");
  EXPECT_FALSE(k.steps(everywhere("whole")).empty()) << "what a failure has left is not known";
}

// Operator 26.7 hands GPUs out by claims where there is a GPUCluster. A run of before wrote no label there on
// its way back, and gave the node back as if its old layout stood.
TEST(Back, UnderAGpuClusterNeitherUndoNorTheWayBackWritesTheLabelOrSaysThatAllStands) {
  Kubernetes k;
  const plan::Run run = stopped(k.plan(everywhere("7x1g.10gb")), {"set-mark", "close-node", "order-mig"});
  order(k, "all-1g.10gb", "success");
  k.boards({cut(0, {instance("1g.10gb", 0, 1, 0)}), cut(1, {})});
  const auto before = way_back(k, run);
  ASSERT_TRUE(before.ok()) << to_line(before.error());
  EXPECT_EQ(argument(step_with(before->nodes[0].steps, "order-mig"), "config"), "all-disabled");
  k.site.gpu_cluster = "gpu-cluster";
  k.site.readings.told(operators::SitePart::gpu_cluster, operators::Reading::Is::value, at(0));
  const auto back = way_back(k, run);
  ASSERT_FALSE(back.ok()) << titles(back->nodes[0].steps);
  EXPECT_NE(back.error().reason.find("the GPUCluster gpu-cluster"), std::string::npos)
      << to_line(back.error());
  const auto undo = plan::plan_undo(run, k.cluster(), catalogue(), k.can(), {}, at(1));
  ASSERT_TRUE(undo.ok()) << to_line(undo.error());
  EXPECT_NE(undo->no_steps.find("the GPUCluster gpu-cluster"), std::string::npos) << undo->no_steps;
  for (const plan::NodePlan& node : undo->nodes) EXPECT_TRUE(node.steps.empty()) << titles(node.steps);
}

TEST(Back, AnOrderThatIsUnderWayIsWaitedForBeforeAnotherIsGiven) {
  Kubernetes k;
  order(k, "all-1g.10gb", "pending");
  std::vector<Step> steps = k.steps(everywhere("whole"));
  const std::string all = titles(steps);
  const std::size_t wait = all.find("wait until the MIG manager has ended what it is at");
  EXPECT_LT(wait, all.find("ask the MIG manager for all-disabled")) << all;
  order(k, "all-1g.10gb", "failed");
  EXPECT_EQ(titles(k.steps(everywhere("whole"))).find("has ended what it is at"), std::string::npos);
}

TEST(Back, TheRunsOwnOrderIsTakenBackThoughTheOfferNeverChanged) {
  Kubernetes k;
  const plan::Run run = stopped(k.plan(everywhere("7x1g.10gb")), {"set-mark", "close-node", "order-mig"});
  EXPECT_EQ(run.started.plan.nodes[0].ordered_before.at(kMig), "all-disabled");
  EXPECT_EQ(run.started.plan.nodes[0].ordered_after.at(kMig), "all-1g.10gb");
  for (const char* state : {"pending", "failed", "success"}) {
    order(k, "all-1g.10gb", state);
    auto back = way_back(k, run);
    ASSERT_TRUE(back.ok()) << to_line(back.error());
    const std::vector<Step>& steps = back->nodes[0].steps;
    EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), "all-disabled") << state;
    EXPECT_TRUE(has(step_with(steps, "open-node").before, plan::WordIs{kMig, "all-disabled"}));
    EXPECT_TRUE(plan::unnamed_harm(run, *back, true).empty()) << "it is the run's own order";
  }
  // It is put back already: then the node is given back while that stands.
  order(k, "all-disabled", "success");
  auto back = way_back(k, run);
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(verbs_of(back->nodes[0].steps), "open-node free-autoscaler clear-mark");
  EXPECT_TRUE(has(back->nodes[0].steps[0].before, plan::WordIs{kMig, "all-disabled"}));
}

TEST(Back, WhileTheManagerCutsTheGpusAreNotReportedAndTheWayBackIsPlanned) {
  Kubernetes k;
  const plan::Run run = stopped(k.plan(everywhere("7x1g.10gb")), {"order-mig"});
  Node bare = test::node("n1", {});
  bare.model = "NVIDIA-H100-80GB-HBM3";
  bare.features = {std::string(kMig) + "=all-1g.10gb", "nvidia.com/mig.config.state=pending",
                   "nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3"};
  k.tell(NodesListed{{bare}});
  auto back = way_back(k, run);
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  const std::vector<Step>& steps = back->nodes[0].steps;
  EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), "all-disabled");
  EXPECT_TRUE(has(steps.at(steps.size() - 4).after,
                  plan::WordIs{std::string(plan::words::kMigMade), "all-disabled"}));
}

TEST(Back, ASharingThatIsOrderedIsTakenBackThoughTheOfferNeverChanged) {
  Kubernetes k;
  const plan::Run run =
      stopped(k.plan(sharing_everywhere(Strategy::time_slicing, 4)), {"set-mark", "label-node"});
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "shared4";
  auto back = way_back(k, run);
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  EXPECT_EQ(argument(step_with(back->nodes[0].steps, "label-node"), "nvidia.com/device-plugin.config"), "");
  EXPECT_EQ(verbs_of(back->nodes[0].steps).find("order-mig"), std::string::npos);
  EXPECT_FALSE(k.steps(everywhere("whole")).empty()) << "for a plan it is the same";
}

TEST(Back, AConfigurationThatSaysMoreThanTheNodeNeedsIsLeftAlone) {
  Kubernetes k;
  k.site.plugin_configs["mixed-fleet"] =
      "version: v1\nflags:\n  migStrategy: mixed\nsharing:\n  timeSlicing:\n    resources:\n"
      "      - {name: nvidia.com/mig-1g.10gb, replicas: 2}\n";
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "mixed-fleet";
  EXPECT_TRUE(k.steps(everywhere("whole")).empty());
}

TEST(Back, ARunThatChangedNothingOrdersNothing) {
  Kubernetes k;
  const plan::Run run =
      stopped(k.plan(everywhere("7x1g.10gb")), {"set-mark", "hold-autoscaler", "close-node"});
  order(k, "all-balanced", "success");  // a colleague's, who was there in between
  Gpu board = cut(0, {instance("3g.40gb", 0, 4, 0)});
  k.boards({board, board});
  auto back = way_back(k, run);
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  EXPECT_EQ(verbs_of(back->nodes[0].steps), "open-node free-autoscaler clear-mark");
  EXPECT_TRUE(back->nodes[0].only_given_back);
  EXPECT_TRUE(plan::unnamed_harm(run, *back, true).empty());
}

TEST(Back, WhatOthersHaveOrderedSinceIsNotOverruledUnasked) {
  Kubernetes k;
  const plan::Run run = stopped(k.plan(everywhere("7x1g.10gb")), {"order-mig"});
  order(k, "all-balanced", "success");
  auto back = way_back(k, run);
  ASSERT_TRUE(back.ok()) << to_line(back.error());
  const std::vector<std::string> harm = plan::unnamed_harm(run, *back, true);
  ASSERT_EQ(harm.size(), 1u);
  EXPECT_EQ(harm[0], "another user has ordered nvidia.com/mig.config=all-balanced on n1 since");
  // An undo shows it in its plan.
  auto undo = plan::plan_undo(run, k.cluster(), catalogue(), k.can(), {}, at(1));
  ASSERT_TRUE(undo.ok()) << to_line(undo.error());
  EXPECT_TRUE(std::any_of(undo->notices.begin(), undo->notices.end(),
                          [](const plan::Notice& one) { return one.rule == "changed-since"; }));
}

TEST(Back, UndoPutsBackTheVeryOrderThatWasFound) {
  Kubernetes k;
  order(k, "theirs", "success");
  k.site.node_config["n1"] = operators::mig_file(std::string(kStaticFile) +
                                                 "  theirs:\n    - devices: all\n      mig-enabled: false\n");
  const plan::Run run = stopped(k.plan(everywhere("7x1g.10gb")), {"order-mig"});
  order(k, "all-1g.10gb", "failed");
  auto undo = plan::plan_undo(run, k.cluster(), catalogue(), k.can(), {}, at(1));
  ASSERT_TRUE(undo.ok()) << to_line(undo.error());
  EXPECT_EQ(argument(step_with(undo->nodes[0].steps, "order-mig"), "config"), "theirs");
}

TEST(Back, NoWayBackInheritsWhatTheWayThereWasAllowedToDoToOthers) {
  Kubernetes k;
  plan::Intent intent = everywhere("7x1g.10gb");
  intent.options.way = plan::Way::cancel;
  intent.options.break_lock = intent.options.when_empty = true;
  intent.options.at = at(3600);
  const plan::Run run = stopped(k.plan(intent), {"order-mig"});
  order(k, "all-1g.10gb", "failed");
  auto back = way_back(k, run);
  auto undo = plan::plan_undo(run, k.cluster(), catalogue(), k.can(), {}, at(1));
  ASSERT_TRUE(back.ok() && undo.ok());
  for (const Plan* plan : {&*back, &*undo}) {
    EXPECT_EQ(plan->intent.options.way, plan::Way::wait)
        << "no user was told that going back ends their work";
    EXPECT_FALSE(plan->intent.options.break_lock);
    EXPECT_FALSE(plan->intent.options.when_empty);
    EXPECT_FALSE(plan->intent.options.at) << "that time is over";
    for (const Step& step : plan->nodes[0].steps) EXPECT_FALSE(step.not_before) << step.title;
  }
}

// The strategy single, and GPUs that are cut in more than one way: nothing is offered, nothing is told.
struct Broken : Kubernetes {
  Broken() {
    site.strategy = "single";
    site.plugin_configs["default"] = "version: v1\n";
    Node bare = test::node("n1", {});
    bare.health = Health::invalid;
    bare.model = "NVIDIA-H100-80GB-HBM3";
    bare.features = {"nvidia.com/gpu.product=NVIDIA-H100-80GB-HBM3-MIG-INVALID", "nvidia.com/gpu.count=0",
                     std::string(kMig) + "=all-balanced", "nvidia.com/mig.config.state=success"};
    tell(NodesListed{{bare}});
  }
};

TEST(Back, ANodeThatTellsNothingCanBeOrderedOneLayout) {
  Broken k;
  Plan plan = k.plan(everywhere("7x1g.10gb"));
  const std::vector<Step>& steps = plan.nodes[0].steps;
  EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), "all-1g.10gb");
  EXPECT_TRUE(has(step_with(steps, "order-mig").before, plan::WordIs{std::string(plan::words::kGpuPods), ""}))
      << "its pods are waited for, whatever its boards tell";
  EXPECT_TRUE(std::any_of(plan.notices.begin(), plan.notices.end(),
                          [](const plan::Notice& one) { return one.rule == "boards-untold"; }));
  EXPECT_EQ(argument(step_with(k.steps(everywhere("whole")), "order-mig"), "config"), "all-disabled");
  EXPECT_NE(k.refusal(wants("7x1g.10gb", 1)), "") << "one board alone cannot be meant";
  // What it was is not known: nothing leads back there.
  plan::Run run = stopped(plan, {"order-mig"});
  EXPECT_FALSE(way_back(k, run).ok());
  EXPECT_FALSE(plan::plan_undo(run, k.cluster(), catalogue(), k.can(), {}, at(1)).ok());
}

TEST(Back, ANodeWithoutGpusIsStillNoGpuNode) {
  Kubernetes k;
  k.tell(NodesListed{{test::node("n1", {})}});
  EXPECT_NE(k.refusal(everywhere("7x1g.10gb")).find("it has no GPU"), std::string::npos);
}

}  // namespace
}  // namespace tessera::test::operator_story
