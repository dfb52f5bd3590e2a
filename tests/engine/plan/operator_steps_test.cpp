#include <gtest/gtest.h>

#include <algorithm>

#include "engine/operators/labels.hpp"
#include "engine/plan/effect/moved.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/site_patch.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::operator_story {
namespace {

TEST(OperatorSteps, ALayoutWithANameNeedsOnlyALabel) {
  Kubernetes k;
  std::vector<Step> steps = k.steps(everywhere("7x1g.10gb"));
  EXPECT_EQ(verbs_of(steps),
            "review-access look-only set-mark hold-autoscaler close-node look-only order-mig "
            "recover-mig-manager look-only look-only open-node free-autoscaler clear-mark");
  EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), "all-1g.10gb");
  EXPECT_NE(commands(steps).find("kubectl label node n1 --overwrite nvidia.com/mig.config=all-1g.10gb "
                                 "nvidia.com/mig.config.state-"),
            std::string::npos);
  EXPECT_EQ(steps.front().id, "n1/1");
  EXPECT_EQ(step_with(steps, "order-mig").undo, "set nvidia.com/mig.config=all-disabled");
}

TEST(OperatorSteps, WhatIsReadBackIsWhatTheNodeOffersNotWhatALabelClaims) {
  Kubernetes k;
  std::vector<Step> steps = k.steps(everywhere("3g.40gb,2g.20gb,2x1g.10gb"));
  EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), "all-balanced");
  const Step& verify = steps.at(steps.size() - 4);
  const auto* offered = std::get_if<plan::Advertises>(
      &*std::find_if(verify.after.begin(), verify.after.end(),
                     [](const Condition& one) { return std::holds_alternative<plan::Advertises>(one); }));
  ASSERT_TRUE(offered);
  EXPECT_EQ(offered->counts.at("nvidia.com/mig-1g.10gb"), 4);
  EXPECT_EQ(offered->counts.at("nvidia.com/mig-3g.40gb"), 2);
  EXPECT_EQ(offered->counts.at("nvidia.com/gpu"), 0);
  EXPECT_TRUE(has(verify.after, plan::WordIs{"nvidia.com/mig-2g.20gb.count", "2"}));
  // What gives the node back relies on it once more.
  EXPECT_TRUE(
      has(step_with(steps, "open-node").before, plan::WordIs{"nvidia.com/mig.config", "all-balanced"}));
}

TEST(OperatorSteps, NothingIsTouchedBeforeTheNodeIsClosedAndEmpty) {
  Kubernetes k;
  Workload pod = running("ml/train-0", "ml", {holds("n1", {{0, 1}})});
  pod.kind = WorkloadKind::pod;
  pod.requests = {{"nvidia.com/gpu", 1}};
  k.tell(WorkloadsListed{{pod}});
  plan::Intent intent = everywhere("7x1g.10gb");
  std::vector<Step> steps = k.steps(intent);
  const Step& order = step_with(steps, "order-mig");
  EXPECT_TRUE(has(order.before, plan::NodeClosed{}));
  EXPECT_TRUE(has(order.before, plan::MarkIsOurs{}));
  EXPECT_TRUE(std::any_of(order.before.begin(), order.before.end(), [](const Condition& one) {
    return std::holds_alternative<plan::ScopeEmpty>(one);
  }));
  EXPECT_EQ(verbs_of(steps).find("evict"), std::string::npos);  // waiting never terminates a job
  intent.options.way = plan::Way::requeue;
  steps = k.steps(intent);
  const Step& evict = step_with(steps, "evict");
  EXPECT_TRUE(evict.disturbs);
  EXPECT_GT(evict.retry.times, 10);
  EXPECT_NE(evict.commands.at(0).find("/api/v1/namespaces/ml/pods/train-0/eviction"), std::string::npos);
  // A budget that lets no pod go is said beforehand, and only where a pod is to go.
  k.site.kept_back["ml/train-0"] = "budget b allows no disruption now: 1 healthy, 1 needed";
  std::vector<plan::Notice> notices = k.plan(intent).notices;
  auto of_budget = [](const plan::Notice& one) { return one.rule == "disruption-budget"; };
  auto notice = std::find_if(notices.begin(), notices.end(), of_budget);
  ASSERT_NE(notice, notices.end());
  EXPECT_EQ(notice->text,
            "ml/train-0 cannot be evicted at once: budget b allows no disruption now: 1 healthy, 1 needed");
  notices = k.plan(everywhere("7x1g.10gb")).notices;
  EXPECT_EQ(std::count_if(notices.begin(), notices.end(), of_budget), 0);
  // A pod that is not started again is waited for, unless its end was asked for.
  pod.restartable = false;
  k.tell(WorkloadsListed{{pod}});
  EXPECT_EQ(verbs_of(k.steps(intent)).find("evict"), std::string::npos);
  intent.options.way = plan::Way::cancel;
  EXPECT_NE(verbs_of(k.steps(intent)).find("evict"), std::string::npos);
}

TEST(OperatorSteps, QuotasOnWhatChangesAreTold) {
  Kubernetes k;
  k.tell(QuotasListed{
      {{"ml", "gpus", "nvidia.com/mig-1g.10gb", 4, 3}, {"bio", "cpus", "nvidia.com/mig-7g.80gb", 1, 0}}});
  std::vector<std::string> told;
  for (const plan::Notice& one : k.plan(everywhere("7x1g.10gb")).notices)
    if (one.rule == "quota-units" && one.text.find("namespace") != std::string::npos)
      told.push_back(one.text);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(
      told[0].find(
          "quota gpus of namespace ml allows 4 nvidia.com/mig-1g.10gb, 3 of them asked for; these nodes "
          "offer 0 of it, and"),
      0u)
      << told[0];
}

TEST(OperatorSteps, FailureStopsAndAHangIsMended) {
  Kubernetes k;
  std::vector<Step> steps = k.steps(everywhere("7x1g.10gb"));
  auto follow = std::find_if(steps.begin(), steps.end(),
                             [](const Step& one) { return one.title == "follow the MIG manager"; });
  ASSERT_NE(follow, steps.end());
  Condition failure = plan::WordIs{std::string(plan::words::kMigFailure), "", false};
  EXPECT_TRUE(has(follow->before, failure));
  EXPECT_FALSE(plan::may_pass(failure));
  Condition stuck = plan::WordIs{std::string(plan::words::kMigStuck), ""};
  EXPECT_TRUE(has(follow->before, stuck));
  EXPECT_TRUE(has(step_with(steps, "recover-mig-manager").after, stuck));  // so that a run goes back to it
  EXPECT_NE(
      commands(steps).find("kubectl delete pod --namespace gpu-operator --selector app=nvidia-mig-manager "
                           "--field-selector spec.nodeName=n1"),
      std::string::npos);
}

TEST(OperatorSteps, ALayoutWithoutANameIsAddedToTheSitesOwnFile) {
  Kubernetes k;
  k.site.mig_config_map = "site-layouts";
  k.site.mig_config = operators::mig_file(kStaticFile);
  Plan plan = k.plan(everywhere("2x3g.40gb"));
  const std::vector<Step>& steps = plan.nodes.at(0).steps;
  const Step& write = step_with(steps, "write-mig-config");
  EXPECT_EQ(argument(write, "map"), "site-layouts");
  EXPECT_EQ(argument(write, "text"), "(none)");
  std::string name = argument(write, "name");
  EXPECT_TRUE(name.starts_with("tessera-"));
  EXPECT_EQ(argument(step_with(steps, "order-mig"), "config"), name);
  std::string said = commands(steps);
  EXPECT_NE(said.find("# --- site-layouts/config.yaml"), std::string::npos) << said;
  EXPECT_NE(said.find("# +  " + name + ":"), std::string::npos) << said;
  EXPECT_EQ(said.find("patch clusterpolicy"), std::string::npos);
  // The file must have reached the manager before the label names the entry.
  std::string order = verbs_of(steps);
  EXPECT_LT(order.find("write-mig-config look-only"), order.find("order-mig"));
}

TEST(OperatorSteps, WhatIsAddedToTheSitesFilesCanBeKeptAsAPatch) {
  Kubernetes k;
  EXPECT_EQ(plan::site_patch(k.plan(everywhere("7x1g.10gb"))), "");
  k.site.mig_config_map = "site-layouts";
  k.site.mig_config = operators::mig_file(kStaticFile);
  k.site.owned_by_others = {"ConfigMap site-layouts: managed by Argo CD"};
  Plan plan = k.plan(everywhere("2x3g.40gb"));
  std::string patch = plan::site_patch(plan);
  EXPECT_NE(patch.find("# ConfigMap site-layouts, key config.yaml\n--- "), std::string::npos) << patch;
  EXPECT_NE(patch.find("\n+  tessera-"), std::string::npos) << patch;
  EXPECT_TRUE(std::any_of(plan.notices.begin(), plan.notices.end(), [](const plan::Notice& one) {
    return one.rule == "owned-by-others" && one.text.find("--patch") != std::string::npos;
  }));
  k.site.plugin_config_map = k.site.plugin_default = "";
  k.site.plugin_configs.clear();
  patch = plan::site_patch(k.plan(sharing_everywhere(Strategy::time_slicing, 4)));
  EXPECT_NE(patch.find("--- /dev/null\n+++ tessera-device-plugin-config/tessera-"), std::string::npos)
      << patch;
  EXPECT_NE(patch.find("# ClusterPolicy cluster-policy, as a merge patch\n# {"), std::string::npos) << patch;
}

TEST(OperatorSteps, TheManagersOwnFileIsReplacedOnlyWhereTheFleetStaysTheSame) {
  Kubernetes k;
  k.site.labels["n2"] = {{"nvidia.com/mig.config", "all-balanced"},
                         {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"}};
  k.site.node_config["n2"] = operators::mig_file(kStaticFile);
  Plan plan = k.plan(everywhere("2x3g.40gb"));
  const std::vector<Step>& steps = plan.nodes.at(0).steps;
  EXPECT_EQ(argument(step_with(steps, "write-mig-config"), "map"), "tessera-mig-config");
  EXPECT_NE(argument(step_with(steps, "write-mig-config"), "text").find("all-balanced"), std::string::npos);
  EXPECT_NE(argument(step_with(steps, "patch-cluster-policy"), "patch").find("tessera-mig-config"),
            std::string::npos);
  EXPECT_TRUE(std::any_of(plan.notices.begin(), plan.notices.end(),
                          [](const plan::Notice& one) { return one.rule == "mig-map"; }));
  // A node whose label the new file does not know, or knows as something else.
  k.site.labels["n3"] = {{"nvidia.com/mig.config", "theirs"},
                         {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"}};
  k.site.node_config["n3"] = operators::mig_file(
      "version: v1\nmig-configs:\n  theirs:\n  - {devices: all, mig-enabled: true, mig-devices: {7g.80gb: "
      "1}}\n");
  std::string why = k.refusal(everywhere("2x3g.40gb"));
  EXPECT_NE(why.find("n3: selected mig-config not present: theirs"), std::string::npos) << why;
}

TEST(OperatorSteps, TheStrategySingleTakesOneProfileOnAllBoards) {
  Kubernetes k;
  k.site.strategy = "single";
  k.site.plugin_configs["default"] = "version: v1\n";
  EXPECT_NE(k.refusal(everywhere("3g.40gb,4g.40gb")).find("MIG-INVALID"), std::string::npos);
  EXPECT_NE(k.refusal(wants("7x1g.10gb", 0)).find("MIG-INVALID"), std::string::npos);
  Plan plan = k.plan(everywhere("7x1g.10gb"));
  EXPECT_EQ(plan.offered_after.kubernetes.at("nvidia.com/gpu"), 14);
  k.site.strategy = "none";
  std::string why = k.refusal(everywhere("7x1g.10gb"));
  EXPECT_NE(why.find("strategy is none"), std::string::npos) << why;
  EXPECT_NE(why.find("kubectl patch clusterpolicy cluster-policy"), std::string::npos) << why;
}

TEST(OperatorSteps, SharingPrefersAnExistingNameAndElseAddsOne) {
  Kubernetes k;
  std::vector<Step> steps = k.steps(sharing_everywhere(Strategy::time_slicing, 4));
  EXPECT_EQ(argument(step_with(steps, "label-node"), std::string(operators::kPluginConfig)), "shared4");
  EXPECT_EQ(verbs_of(steps).find("write"), std::string::npos);
  EXPECT_EQ(verbs_of(steps).find("order-mig"), std::string::npos);
  EXPECT_TRUE(has(steps.at(steps.size() - 4).after, plan::WordIs{"nvidia.com/gpu.replicas", "4"}));
  EXPECT_TRUE(
      has(steps.at(steps.size() - 4).after, plan::WordIs{"nvidia.com/gpu.sharing-strategy", "time-slicing"}));

  steps = k.steps(sharing_everywhere(Strategy::mps, 10));
  const Step& write = step_with(steps, "write-plugin-config");
  EXPECT_NE(argument(write, "text").find("migStrategy: mixed"), std::string::npos);
  EXPECT_NE(argument(write, "text").find("replicas: 10"), std::string::npos);
  EXPECT_EQ(argument(write, "base"), "(none)");
  EXPECT_EQ(argument(step_with(steps, "label-node"), std::string(operators::kPluginConfig)),
            argument(write, "name"));
}

TEST(OperatorSteps, WhereThereAreNoNamedSharingsTheClusterPolicyIsPointedAtOurs) {
  Kubernetes k;
  k.site.plugin_config_map = k.site.plugin_default = "";
  k.site.plugin_configs.clear();
  Plan plan = k.plan(sharing_everywhere(Strategy::time_slicing, 8));
  const std::vector<Step>& steps = plan.nodes.at(0).steps;
  EXPECT_EQ(argument(step_with(steps, "write-plugin-config"), "map"), "tessera-device-plugin-config");
  EXPECT_NE(argument(step_with(steps, "patch-cluster-policy"), "patch").find("\"default\":\"default\""),
            std::string::npos);
  EXPECT_EQ(plan.offered_after.kubernetes.at("nvidia.com/gpu"), 16);
}

TEST(OperatorSteps, WholeIsTheDefaultConfigurationAgain) {
  Kubernetes k;
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "shared4";
  Gpu first = gpu(0, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 0)});
  Gpu second = gpu(1, Strategy::time_slicing, {shared(SliceKind::time_slice, 4, 1)});
  for (Gpu* one : {&first, &second}) one->replicas = 4, one->mig_mode = MigMode::disabled;
  k.boards({first, second});
  std::vector<Step> steps = k.steps(everywhere("whole"));
  EXPECT_EQ(argument(step_with(steps, "label-node"), std::string(operators::kPluginConfig)), "");
  EXPECT_NE(commands(steps).find("nvidia.com/device-plugin.config-"), std::string::npos);
}

TEST(OperatorSteps, MpsGoesBeforeMigComesAndNeverStandsBesideIt) {
  Kubernetes k;
  k.site.plugin_configs["mps"] =
      "version: v1\nflags:\n  migStrategy: mixed\nsharing:\n  mps:\n    resources:\n    - name: "
      "nvidia.com/gpu\n"
      "      replicas: 4\n";
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "mps";
  Gpu first = gpu(0, Strategy::mps, {shared(SliceKind::mps, 4, 0)});
  Gpu second = gpu(1, Strategy::mps, {shared(SliceKind::mps, 4, 1)});
  for (Gpu* one : {&first, &second}) one->replicas = 4, one->mig_mode = MigMode::disabled;
  k.boards({first, second});
  std::string order = verbs_of(k.steps(everywhere("7x1g.10gb")));
  EXPECT_LT(order.find("label-node"), order.find("order-mig"));
  EXPECT_NE(k.refusal(wants("7x1g.10gb", 0)).find("refuses MPS"), std::string::npos);
  EXPECT_NE(k.refusal(sharing_everywhere(Strategy::mps, 49)).find("48 MPS clients"), std::string::npos);
}

TEST(OperatorSteps, ANodeIsSharedInOneWay) {
  Kubernetes k;
  plan::Intent one = shares(Strategy::time_slicing, 4);
  std::string why = k.refusal(one);
  EXPECT_NE(why.find("no choice by GPU") == std::string::npos,
            why.find("4 times on one GPU") == std::string::npos)
      << why;
}

TEST(OperatorSteps, VirtualMachinesAreAnotherWorkload) {
  Kubernetes k;
  plan::Intent intent = sharing_everywhere(Strategy::vgpu, 4);
  intent.boards[0].wish.vgpu = ProfileName("H100XM-20C");
  k.site.vm_nodes = false;
  EXPECT_NE(k.refusal(intent).find("sandboxWorkloads"), std::string::npos);
  k.site.vm_nodes.reset();
  EXPECT_NE(k.refusal(intent).find("sandboxWorkloads"), std::string::npos) << "off where nothing is said";
  k.site.vm_nodes = true;
  std::vector<Step> steps = k.steps(intent);
  const Step& order = step_with(steps, "order-vgpu");
  EXPECT_EQ(argument(order, "workload"), "vm-vgpu");
  EXPECT_EQ(argument(order, "config"), "H100XM-20C");
  // A failure stops it; taken up again, the order is given again.
  auto follow = std::find_if(steps.begin(), steps.end(),
                             [](const Step& one) { return one.title == "follow the vGPU device manager"; });
  ASSERT_NE(follow, steps.end());
  EXPECT_TRUE(has(follow->before, plan::WordIs{std::string(plan::words::kVgpuFailure), "", false}));
  EXPECT_TRUE(has(order.after, plan::WordIs{std::string(plan::words::kVgpuOrder), "H100XM-20C"}));
  const plan::Counts offered = k.plan(intent).offered_after.kubernetes;
  EXPECT_EQ(offered.at("nvidia.com/gpu"), 0) << "no container gets a GPU there";
  EXPECT_EQ(offered.at("nvidia.com/NVIDIA_H100XM-20C"), 8);
  // Four on each of the two GPUs are what counts, not the label.
  EXPECT_TRUE(has(steps.at(steps.size() - 4).after,
                  plan::WordIs{plan::words::of(plan::words::kVgpuOffer, "H100XM-20C"), "8"}));
}

TEST(OperatorSteps, SaysWhatIsMissing) {
  Kubernetes k;
  plan::Means bare = plan::gpu_operator_capabilities();
  auto made = plan::make_plan(k.cluster(), catalogue(), everywhere("7x1g.10gb"), bare, {}, at(0));
  ASSERT_TRUE(made.ok());
  EXPECT_NE(made->no_steps.find("has not been read"), std::string::npos);
  EXPECT_TRUE(made->nodes[0].steps.empty());
  k.site.policy.clear();
  EXPECT_NE(k.make(everywhere("7x1g.10gb"))->no_steps.find("no ClusterPolicy"), std::string::npos);
}

// One transient 500 on the node list once made "12 other nodes" into "0 other nodes".
TEST(OperatorSteps, WhatCouldNotBeReadIsNamedAndNothingIsPlannedOnIt) {
  using operators::SitePart;
  for (SitePart part : {SitePart::policy, SitePart::gpu_cluster, SitePart::name_space, SitePart::mig_config,
                        SitePart::generated, SitePart::plugin_config, SitePart::devices}) {
    Kubernetes k;
    k.site.readings.forget(part);
    k.site.readings.failed(part, {"GET /x was refused", "try later (500)", ""});
    std::string why = k.make(everywhere("7x1g.10gb"))->no_steps;
    EXPECT_NE(why.find(std::string(operators::word(part)) + " could not be read: GET /x was refused"),
              std::string::npos)
        << why;
  }
  Kubernetes never;
  never.site.readings = {};
  EXPECT_NE(never.make(everywhere("7x1g.10gb"))->no_steps.find("could not be read yet"), std::string::npos);
}

TEST(OperatorSteps, AFileForAllNodesNeedsAllNodesAsTheyAreNow) {
  for (bool known : {false, true}) {
    Kubernetes k;
    if (!known) k.site.readings.forget(operators::SitePart::fleet);
    k.site.readings.failed(operators::SitePart::fleet, {"GET /api/v1/nodes was refused", "no (500)", ""});
    EXPECT_NE(k.refusal(everywhere("2x3g.40gb")).find("the labels of the GPU nodes could not be read"),
              std::string::npos);
    // A label alone concerns one node: it may be planned, and what is old is said.
    std::vector<plan::Notice> notices = k.plan(everywhere("7x1g.10gb")).notices;
    EXPECT_TRUE(std::any_of(notices.begin(), notices.end(),
                            [](const plan::Notice& one) { return one.rule == "old-reading"; }));
  }
}

// Its generated file knows names that the chart's does not: the label is not one that fails today.
TEST(OperatorSteps, ANodeWhoseManagerHasNotWrittenItsFileYetIsNotJudgedByTheCharts) {
  Kubernetes k;
  k.site.mig_config = operators::mig_file(kStaticFile);
  k.site.labels["n2"] = {{"nvidia.com/mig.config", "all-1g.20gb"},
                         {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"}};
  EXPECT_NE(k.refusal(everywhere("2x3g.40gb")).find("n2: selected mig-config not present: all-1g.20gb"),
            std::string::npos);
  k.site.labels["n2"]["nvidia.com/mig.config"] = "all-balanced";  // means the same in both
  k.plan(everywhere("2x3g.40gb"));
}

TEST(OperatorSteps, ABoardThatIsNotInTheCatalogueIsNoReasonToCallAnotherFileTheSame) {
  Kubernetes k;
  k.site.mig_config = operators::mig_file(kStaticFile);
  k.site.labels["n2"] = {{"nvidia.com/mig.config", "all-balanced"},
                         {"nvidia.com/gpu.product", "NVIDIA-H900-Unheard-Of"}};
  k.site.node_config["n2"] = operators::mig_file(
      "version: v1\nmig-configs:\n  all-balanced:\n  - {devices: all, mig-enabled: true, mig-devices: "
      "{1g.9gb: "
      "3}}\n");
  EXPECT_NE(k.refusal(everywhere("2x3g.40gb")).find("n2: "), std::string::npos);
  k.site.node_config["n2"] = operators::mig_file(kStaticFile);  // the same rows mean the same on any GPU
  k.plan(everywhere("2x3g.40gb"));
}

TEST(OperatorSteps, WhereAGpuClusterHandsOutTheGpusNoLabelIsWritten) {
  Kubernetes k;
  k.site.gpu_cluster = "gpu-cluster";
  k.site.readings.told(operators::SitePart::gpu_cluster, operators::Reading::Is::value, at(0));
  std::string why = k.make(everywhere("7x1g.10gb"))->no_steps;
  EXPECT_NE(why.find("the GPUCluster gpu-cluster has its GPUs handed out by the DRA driver"),
            std::string::npos)
      << why;
  EXPECT_TRUE(k.make(everywhere("7x1g.10gb"))->nodes.at(0).steps.empty());
}

// A node whose label another admin has set before there was any file: the new one would stop its plugin.
TEST(OperatorSteps, ANewMapOfSharingsIsNotMadeOverTheHeadsOfOtherNodes) {
  Kubernetes k;
  k.site.plugin_config_map = k.site.plugin_default = "";
  k.site.plugin_configs.clear();
  k.site.labels["n2"] = {{"nvidia.com/device-plugin.config", "shared4"}};
  EXPECT_NE(k.refusal(sharing_everywhere(Strategy::time_slicing, 8)).find("n2: its label names shared4"),
            std::string::npos);
}

plan::SiteRules renaming() {
  plan::SiteRules rules;
  rules.rename_shared = true;
  return rules;
}

// The plan promised nvidia.com/gpu.shared and wrote a file that offers nvidia.com/gpu.
TEST(OperatorSteps, SharedResourcesAreRenamedInTheFileThatThePlanWrites) {
  for (Strategy how : {Strategy::time_slicing, Strategy::mps}) {
    Kubernetes k;
    auto made =
        plan::make_plan(k.cluster(), catalogue(), sharing_everywhere(how, 4), k.can(), renaming(), at(0));
    ASSERT_TRUE(made.ok()) << to_line(made.error());
    const std::vector<Step>& steps = made->nodes.at(0).steps;
    const Step& write = step_with(steps, "write-plugin-config");  // shared4 renames nothing
    auto config = operators::parse_plugin_config(argument(write, "text"), "x");
    ASSERT_TRUE(config.ok()) << to_line(config.error());
    EXPECT_TRUE(config->sharing.rename) << argument(write, "text");
    EXPECT_EQ(made->offered_after.kubernetes.at("nvidia.com/gpu.shared"), 8);
    const Step& verify = steps.at(steps.size() - 4);
    auto offered = std::find_if(verify.after.begin(), verify.after.end(), [](const Condition& one) {
      return std::holds_alternative<plan::Advertises>(one);
    });
    ASSERT_NE(offered, verify.after.end());
    EXPECT_EQ(std::get<plan::Advertises>(*offered).counts.at("nvidia.com/gpu.shared"), 8);
  }
}

TEST(OperatorSteps, WhatTheNodesPresentConfigurationSaysIsKept) {
  Kubernetes k;
  k.site.plugin_configs["theirs"] =
      "version: v1\nflags:\n  migStrategy: mixed\n  plugin:\n    deviceListStrategy: cdi-cri  # "
      "ours\nsharing:\n"
      "  timeSlicing:\n    renameByDefault: true\n    failRequestsGreaterThanOne: true\n    resources:\n"
      "    - {name: nvidia.com/gpu, replicas: 2}\n";
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "theirs";
  Node node = test::node("n1", {uncut(0, 0), uncut(1, 1)});
  node.features = {"nvidia.com/gpu.count=2", "nvidia.com/device-plugin.config=theirs"};
  k.tell(NodesListed{{node}});
  Plan made = k.plan(sharing_everywhere(Strategy::time_slicing, 4));
  std::string text = argument(step_with(made.nodes.at(0).steps, "write-plugin-config"), "text");
  auto config = operators::parse_plugin_config(text, "x");
  ASSERT_TRUE(config.ok()) << text;
  EXPECT_TRUE(config->sharing.rename) << text;
  EXPECT_EQ(config->sharing.fail_multiple, true) << text;
  EXPECT_NE(text.find("deviceListStrategy: cdi-cri  # ours"), std::string::npos) << text;
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu.shared"), 8);
}

// Up to 0.19 the plugin reads that switch for time-slicing alone.
TEST(OperatorSteps, ThatPodsMayAskForSeveralSharesOfMpsIsNotPromisedOfEveryVersion) {
  Kubernetes k;
  auto warned = [&](Strategy method, std::optional<bool> refuse) {
    plan::Intent intent = sharing_everywhere(method, 4);
    intent.switches.refuse_several = refuse;
    const Plan made = k.plan(intent);
    return std::any_of(made.notices.begin(), made.notices.end(), [](const plan::Notice& notice) {
      return notice.rule == "mps-several" &&
             notice.text.find("needs device plugin 0.20 or later") != std::string::npos;
    });
  };
  EXPECT_TRUE(warned(Strategy::mps, false));
  EXPECT_FALSE(warned(Strategy::mps, true));
  EXPECT_FALSE(warned(Strategy::mps, std::nullopt));
  EXPECT_FALSE(warned(Strategy::time_slicing, false));
}

TEST(OperatorSteps, TheVersionOfTheDevicePluginDecidesWhetherTheSwitchOfMpsIsWarnedOf) {
  auto told = [&](const std::string& version) {
    Kubernetes k;
    k.site.plugin_version = version;
    plan::Intent intent = sharing_everywhere(Strategy::mps, 4);
    intent.switches.refuse_several = false;
    for (const plan::Notice& notice : k.plan(intent).notices)
      if (notice.rule == "mps-several") return notice.text;
    return std::string();
  };
  for (const char* recent : {"v0.20.0", "0.20.1", "v0.21.0-ubi9", "v1.0.0"})
    EXPECT_EQ(told(recent), "") << recent;
  for (const char* old : {"v0.17.1", "v0.19.0-rc.1", "0.9.2"})
    EXPECT_NE(told(old).find(std::string("the device plugin is ") + old), std::string::npos) << told(old);
  for (const char* unknown : {"", "sha256:0a1b2c", "latest", "v0", "v0.x"})
    EXPECT_NE(told(unknown).find("does not name its version"), std::string::npos) << unknown;
}

TEST(OperatorSteps, NothingIsPlannedIntoADriverUpgrade) {
  Kubernetes k;
  Node node = test::node("n1", {uncut(0, 0)});
  for (const auto& [state, why] :
       {std::pair("drain-required", "a driver upgrade is under way on n1 (drain-required)"),
        std::pair("upgrade-failed", "the driver upgrade of n1 has failed"), std::pair("upgrade-done", "")}) {
    node.features = {std::string("nvidia.com/gpu-driver-upgrade-state=") + state};
    k.tell(NodesListed{{node}});
    std::string told = k.make(everywhere("7x1g.10gb"))->no_steps;
    EXPECT_EQ(told.substr(0, std::string(why).size()), why);
    EXPECT_EQ(told.empty(), *why == '\0') << told;
  }
}

TEST(OperatorSteps, ManagedServicesThatFixTheirNodesAreSaidSo) {
  Kubernetes k;
  Node node = test::node("n1", {uncut(0, 0)});
  node.features = {"cloud.google.com/gke-nodepool=pool-a"};
  k.tell(NodesListed{{node}});
  std::string why = k.make(everywhere("7x1g.10gb"))->no_steps;
  EXPECT_NE(why.find("gcloud container node-pools create"), std::string::npos) << why;
  EXPECT_NE(why.find("gpu-partition-size=1g.10gb"), std::string::npos) << why;
  why = k.make(sharing_everywhere(Strategy::time_slicing, 4))->no_steps;
  EXPECT_NE(why.find("gpu-sharing-strategy=time-sharing,max-shared-clients-per-gpu=4"), std::string::npos)
      << why;
  EXPECT_EQ(why.find("gpu-partition-size"), std::string::npos) << why;
  node.features = {"kubernetes.azure.com/agentpool=gpu"};
  k.tell(NodesListed{{node}});
  EXPECT_NE(k.make(everywhere("7x1g.10gb"))->no_steps.find("--gpu-instance-profile MIG1g"),
            std::string::npos);
  EXPECT_EQ(k.make(sharing_everywhere(Strategy::time_slicing, 4))->no_steps, "") << "AKS fixes MIG alone";
}

TEST(OperatorSteps, GpusThatAnotherPluginSplitsAreLeftToIt) {
  Kubernetes k;
  Gpu split = test::gpu(0, Strategy::shard, {test::shared(SliceKind::shard, 10, 0)});
  split.product = ProductKey("H100-80GB-SXM5");
  k.tell(NodesListed{{test::node("n1", {split})}});
  auto plan = k.make(sharing_everywhere(Strategy::time_slicing, 4));
  EXPECT_NE(plan->no_steps.find("hands out the GPUs of n1 in parts"), std::string::npos) << plan->no_steps;
  EXPECT_TRUE(plan->nodes[0].steps.empty());
}

TEST(OperatorSteps, GpusThatADraDriverHandsOutAreLeftToIt) {
  Kubernetes k;
  Node node = test::node("n1", {uncut(0, 0)});
  node.gpus[0].origin.source = Source::kubernetes_claims;
  k.tell(NodesListed{{node}});
  auto plan = k.make(everywhere("7x1g.10gb"));
  EXPECT_NE(plan->no_steps.find("a DRA driver hands out the GPUs of n1"), std::string::npos)
      << plan->no_steps;
  EXPECT_TRUE(plan->nodes[0].steps.empty());
}

// Kubernetes counts slices; only a DCGM exporter tells who holds which of them.
TEST(OperatorSteps, APlanMadeWithAnExportersFactsStandsWhileTheExporterIsSilent) {
  Kubernetes k;
  k.site.labels["n1"]["nvidia.com/mig.config"] = "all-balanced";
  auto told = [&](bool by_exporter) {
    Gpu board = cut(0, {instance("3g.40gb", 0, 4, 0), instance("3g.40gb", 4, 4, 1)});
    for (Slice& slice : board.slices) {
      slice.placement.reset();
      if (!by_exporter) slice.device.reset();
    }
    k.boards({board});
  };
  auto pod = [](const char* id, std::vector<DeviceShare> devices) {
    Workload work = running(id, "ann", {holds("n1", std::move(devices))});
    work.allocations[0].type = "3g.40gb";
    work.allocations[0].count = 1;
    return work;
  };
  told(true);
  k.tell(WorkloadSeen{pod("team/p", {{1, 1}})});
  Plan plan = k.plan(everywhere("7x1g.10gb"));
  ASSERT_TRUE(plan::what_moved(plan, k.cluster()).empty());
  told(false);  // either slice may be the pod's
  k.tell(WorkloadSeen{pod("team/p", {})});
  ASSERT_FALSE(k.cluster().nodes.find(NodeName("n1"))->gpus[0].slices[0].exact);
  for (const plan::Moved& one : plan::what_moved(plan, k.cluster())) ADD_FAILURE() << one.text;
  // A user whom the plan does not name is news all the same.
  k.tell(WorkloadSeen{pod("team/q", {})});
  auto moved = plan::what_moved(plan, k.cluster());
  EXPECT_FALSE(plan::may_apply(moved));
  EXPECT_TRUE(std::any_of(moved.begin(), moved.end(), [](const plan::Moved& one) {
    return one.text.find("team/q") != std::string::npos;
  }));
}

// Kubernetes reports which instances there are, but not where they stand.
TEST(OperatorSteps, InstancesWithoutPlacesCanBePlannedAwayAndBack) {
  Kubernetes k;
  k.site.labels["n1"]["nvidia.com/mig.config"] = "all-balanced";
  auto unplaced = [](int index) {
    Gpu board =
        cut(index, {instance("3g.40gb", 0, 0, 10 * index), instance("2g.20gb", 0, 0, 10 * index + 1),
                    instance("1g.10gb", 0, 0, 10 * index + 2), instance("1g.10gb", 0, 0, 10 * index + 3)});
    for (Slice& slice : board.slices) slice.placement.reset(), slice.holding = Holding::free;
    return board;
  };
  k.boards({unplaced(0), unplaced(1)});
  Plan plan = k.plan(everywhere("7x1g.10gb"));
  EXPECT_EQ(plan.nodes[0].destroyed.size(), 8u);
  EXPECT_EQ(plan.nodes[0].destroyed[0].at, std::nullopt);
  EXPECT_EQ(plan.nodes[0].created.size(), 14u);
  EXPECT_TRUE(
      k.plan(everywhere("3g.40gb,2g.20gb,2x1g.10gb")).nodes[0].steps.empty());  // already in that state
  // And back, from what stands then.
  plan::Intent back = plan::undo_intent(plan, plan.nodes[0], "undo");
  Gpu first = cut(0, {}), second = cut(1, {});
  for (int i = 0; i < 7; ++i) {
    first.slices.push_back(unplaced(0).slices[2]);
    second.slices.push_back(unplaced(1).slices[2]);
  }
  k.boards({first, second});
  EXPECT_EQ(argument(step_with(k.steps(back), "order-mig"), "config"), "all-balanced");
  EXPECT_EQ(plan::to_document(plan),
            plan::to_document(plan::parse_plan(plan::to_document(plan), "p").value()));
}

}  // namespace
}  // namespace tessera::test::operator_story
