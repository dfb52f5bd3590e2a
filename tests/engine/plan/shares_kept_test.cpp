// The device plugin's two switches, renameByDefault and failRequestsGreaterThanOne: as the node has them
// unless the wish says otherwise, by what the node allocates, with a word to whoever asks by the old name.
#include "engine/plan/allowed.hpp"
#include "engine/plan/run/undo.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera {
namespace {

using namespace test;
using namespace test::operator_story;

// n1 hands its two GPUs out in four shares each, by the configuration "theirs".
struct Sharing : Kubernetes {
  explicit Sharing(const std::string& switches, bool renamed) {
    site.plugin_configs["theirs"] = "version: v1\nflags:\n  migStrategy: mixed\nsharing:\n  timeSlicing:\n" +
                                    switches + "    resources:\n    - {name: nvidia.com/gpu, replicas: 4}\n";
    site.labels["n1"]["nvidia.com/device-plugin.config"] = "theirs";
    std::vector<Gpu> all;
    for (int index : {0, 1}) {
      Gpu one = uncut(index, index);
      one.strategy = Strategy::time_slicing;
      one.replicas = 4;
      one.slices.front().kind = SliceKind::time_slice;
      one.slices.front().capacity = 4;
      all.push_back(std::move(one));
    }
    Node node = test::node("n1", std::move(all));
    node.features = {"nvidia.com/gpu.count=2", "nvidia.com/device-plugin.config=theirs"};
    node.allocatable = {{renamed ? "nvidia.com/gpu.shared" : "nvidia.com/gpu", 8}};
    ClusterSeen seen;
    seen.scheduler = Scheduler::kubernetes;
    tell(seen);
    tell(NodesListed{{node}});
  }
};

operators::PluginConfig written(const Plan& plan) {
  const std::string text = argument(step_with(plan.nodes.at(0).steps, "write-plugin-config"), "text");
  auto config = operators::parse_plugin_config(text, "written");
  EXPECT_TRUE(config.ok()) << text;
  return config ? *config : operators::PluginConfig{};
}

TEST(SharesKept, MoreSharesKeepTheirNameAndWhoMayAskForSeveral) {
  Sharing k("    renameByDefault: true\n    failRequestsGreaterThanOne: true\n", true);
  const Plan made = k.plan(sharing_everywhere(Strategy::time_slicing, 8));
  EXPECT_EQ(made.offered_before.kubernetes.at("nvidia.com/gpu.shared"), 8);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu.shared"), 16);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu"), 0);
  EXPECT_TRUE(written(made).sharing.rename);
  EXPECT_EQ(written(made).sharing.fail_multiple, true);
  EXPECT_EQ(made.nodes[0].switches_before, (plan::Switches{true, true}));
  EXPECT_EQ(made.nodes[0].switches_after, (plan::Switches{true, true}));
}

// They are the simulator's own: on a cluster with a GPU operator such labels say nothing.
TEST(SharesKept, LabelsOfTheSimulatorSayNothingElsewhere) {
  Sharing k("    renameByDefault: false\n", false);
  Node node = k.cluster().nodes.all().front();
  node.features.emplace_back("tessera.sim/rename-by-default=true");
  node.features.emplace_back("tessera.sim/fail-requests-greater-than-one=true");
  k.tell(NodesListed{{node}});
  const Plan made = k.plan(sharing_everywhere(Strategy::time_slicing, 8));
  EXPECT_EQ(made.nodes[0].switches_after, (plan::Switches{false, false}));
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu"), 16);
}

// A quota is on one name: where that changes, one stops counting and another begins.
TEST(SharesKept, WhatQuotasCountIsToldByTheNameOfEachResource) {
  Sharing k("    renameByDefault: true\n", true);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  intent.switches.rename_shared = false;
  std::string told;
  for (const plan::Notice& notice : k.plan(intent).notices)
    if (notice.rule == "quota-units") told += notice.text + "\n";
  EXPECT_NE(told.find("nvidia.com/gpu goes from 0 to 16: quotas on nvidia.com/gpu count"), std::string::npos)
      << told;
  EXPECT_NE(told.find("nvidia.com/gpu.shared goes from 8 to 0: quotas on nvidia.com/gpu.shared count"),
            std::string::npos)
      << told;
}

TEST(SharesKept, AWishChangesThemAndTheOfferIsReadBackByItsNewName) {
  Sharing k("    renameByDefault: true\n    failRequestsGreaterThanOne: true\n", true);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  intent.switches.rename_shared = intent.switches.refuse_several = false;
  const Plan made = k.plan(intent);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu"), 16);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu.shared"), 0);
  EXPECT_FALSE(written(made).sharing.rename);
  EXPECT_EQ(written(made).sharing.fail_multiple, false);
  EXPECT_EQ(made.nodes[0].switches_after, (plan::Switches{false, false}));
  bool proved = false;
  for (const Step& step : made.nodes[0].steps)
    proved = proved || has(step.after, plan::Advertises{made.offered_after.kubernetes});
  EXPECT_TRUE(proved);
}

// The GPUs stay as they are: all that changes is the configuration.
TEST(SharesKept, AloneTheyAreAChangeToo) {
  Sharing k("", false);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 4);
  EXPECT_FALSE(k.plan(intent).changes_anything());
  intent.switches.rename_shared = true;
  const Plan made = k.plan(intent);
  EXPECT_TRUE(made.changes_anything());
  EXPECT_EQ(made.offered_before.kubernetes.at("nvidia.com/gpu"), 8);
  EXPECT_EQ(made.offered_after.kubernetes.at("nvidia.com/gpu.shared"), 8);
  EXPECT_TRUE(written(made).sharing.rename);
  plan::Intent refuse = sharing_everywhere(Strategy::time_slicing, 4);
  refuse.switches.refuse_several = true;
  EXPECT_EQ(written(k.plan(refuse)).sharing.fail_multiple, true);
  refuse.switches.refuse_several = false;  // as it is by default
  EXPECT_FALSE(k.plan(refuse).changes_anything());
}

TEST(SharesKept, TheWayToMpsKeepsWhatWasSaidAndLeavesTheRestToThePlugin) {
  Sharing said("    failRequestsGreaterThanOne: false\n", false);
  const Plan kept = said.plan(sharing_everywhere(Strategy::mps, 8));
  EXPECT_EQ(written(kept).sharing.fail_multiple, false);
  EXPECT_EQ(kept.nodes[0].switches_after, (plan::Switches{false, false}));
  Sharing silent("", false);
  const Plan open = silent.plan(sharing_everywhere(Strategy::mps, 8));
  EXPECT_EQ(written(open).sharing.fail_multiple, std::nullopt);
  EXPECT_EQ(open.nodes[0].switches_after, (plan::Switches{false, true})) << "MPS refuses by default";
}

// Before the plugin has answered again, nothing is on offer, whatever the labels promise.
TEST(SharesKept, BeforeIsWhatTheNodeAllocates) {
  Sharing k("", false);
  Node node = *k.cluster().nodes.find(NodeName("n1"));
  node.allocatable.emplace();
  k.tell(NodesListed{{node}});
  EXPECT_EQ(
      k.plan(sharing_everywhere(Strategy::time_slicing, 8)).offered_before.kubernetes.at("nvidia.com/gpu"),
      0);
}

TEST(SharesKept, TheWayBackRestoresThem) {
  Sharing k("    renameByDefault: true\n", true);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  intent.switches.rename_shared = false;
  const Plan there = k.plan(intent);
  const plan::Intent back = plan::undo_intent(there, there.nodes[0], "undo");
  EXPECT_EQ(back.switches.rename_shared, true);
  Sharing after("", false);  // as the run has left it
  after.site.plugin_configs["now"] = after.site.plugin_configs["theirs"];
  after.site.plugin_configs["theirs"] = k.site.plugin_configs["theirs"];
  after.site.labels["n1"]["nvidia.com/device-plugin.config"] = "now";
  Node node = *after.cluster().nodes.find(NodeName("n1"));
  node.features = {"nvidia.com/gpu.count=2", "nvidia.com/device-plugin.config=now"};
  after.tell(NodesListed{{node}});
  const Plan undone = after.plan(back);
  EXPECT_EQ(undone.offered_after.kubernetes.at("nvidia.com/gpu.shared"), 8);
  EXPECT_EQ(undone.nodes[0].ordered_after.at("nvidia.com/device-plugin.config"), "theirs");
  EXPECT_EQ(plan::why_not_allowed(undone.nodes[0], back, after.can()), std::nullopt);
  // Nothing is written on this way: what the plan shows is held against the configuration that it leads to.
  Plan edited = undone;
  edited.nodes[0].switches_after->rename = false;
  const auto why = plan::why_not_allowed(edited.nodes[0], back, after.can());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("other switches"), std::string::npos) << *why;
}

// Someone has edited the configuration that was found: its name no longer leads back.
TEST(SharesKept, AnUndoKeepsItsOwnSwitchesWhereTheConfigurationThatItLeadsToHasOthersNow) {
  Sharing k("    renameByDefault: true\n", true);
  const Plan there = k.plan(everywhere("none"));
  const plan::Intent back = plan::undo_intent(there, there.nodes[0], "undo");
  Kubernetes after;  // whole, as the run has left it
  after.site.plugin_configs["theirs"] = k.site.plugin_configs["theirs"];
  EXPECT_EQ(after.plan(back).nodes[0].ordered_after.at("nvidia.com/device-plugin.config"), "theirs");
  std::string& edited = after.site.plugin_configs["theirs"];
  edited.replace(edited.find("renameByDefault: true"), 21, "renameByDefault: false");
  const Plan undone = after.plan(back);
  EXPECT_EQ(undone.nodes[0].switches_after, (plan::Switches{true, false}));
  EXPECT_EQ(undone.offered_after.kubernetes.at("nvidia.com/gpu.shared"), 8);
  EXPECT_TRUE(written(undone).sharing.rename);
  EXPECT_NE(undone.nodes[0].ordered_after.at("nvidia.com/device-plugin.config"), "theirs");
  std::string told;
  for (const plan::Notice& one : undone.notices)
    if (one.rule == "recorded-configuration") told += one.text;
  EXPECT_NE(told.find("theirs no longer shares GPUs as it did before the run"), std::string::npos) << told;
  EXPECT_EQ(plan::why_not_allowed(undone.nodes[0], back, after.can()), std::nullopt);
  // A plan that shows what the edited configuration says is not what was wished for.
  Plan other = undone;
  other.nodes[0].switches_after->rename = false;
  EXPECT_TRUE(plan::why_not_allowed(other.nodes[0], back, after.can()));
}

// A plan file that a user has edited by hand.
TEST(SharesKept, AConfigurationThatWritesOtherSwitchesThanThePlanShowsIsNotApplied) {
  Sharing k("    renameByDefault: true\n", true);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  const Plan honest = k.plan(intent);
  EXPECT_EQ(plan::why_not_allowed(honest.nodes[0], intent, k.can()), std::nullopt);
  Plan edited = honest;
  for (Step& step : edited.nodes[0].steps)
    if (auto* special = std::get_if<plan::Special>(&step.action);
        special && special->verb == "write-plugin-config") {
      std::string& text = special->arguments["text"];
      text.replace(text.find("renameByDefault: true"), 21, "renameByDefault: false");
    }
  auto why = plan::why_not_allowed(edited.nodes[0], intent, k.can());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("other switches"), std::string::npos) << *why;
  intent.switches.rename_shared = false;
  EXPECT_TRUE(plan::why_not_allowed(honest.nodes[0], intent, k.can())) << "it was wished for otherwise";
}

TEST(SharesKept, AWishForSwitchesThatNothingThereFollowsIsRefused) {
  Sharing k("", true);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  intent.switches.rename_shared = false;
  auto made = plan::make_plan(k.cluster(), catalogue(), intent,
                              plan::simulator_capabilities(Scheduler::kubernetes), {}, at(0));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().reason.find("does not hand out its GPUs"), std::string::npos);
}

std::string renamed_notice(const Plan& plan, Severity* severity = nullptr) {
  for (const plan::Notice& one : plan.notices)
    if (one.rule == "renamed") {
      if (severity) *severity = one.severity;
      return one.text;
    }
  return "";
}

TEST(KubeNames, AChangeOfNameSaysWhoAsksByTheOldOne) {
  Sharing k("    renameByDefault: true\n", true);
  Workload pod = waiting("ml/tune", "ann", "nvidia.com/gpu.shared");
  Workload other = waiting("ml/train", "bob", "nvidia.com/gpu");
  Workload over = running("ml/over", "ann", {holds_some("n1", "", 1)});
  over.requests = pod.requests, over.state = WorkloadState::ended;
  Workload elsewhere = running("ml/elsewhere", "ann", {holds_some("n2", "", 1)});
  elsewhere.requests = pod.requests;
  k.tell(WorkloadsListed{{pod, other, over, elsewhere}});
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  EXPECT_EQ(renamed_notice(k.plan(intent)), "");
  intent.switches.rename_shared = false;
  Severity severity = Severity::info;
  const std::string told = renamed_notice(k.plan(intent), &severity);
  EXPECT_EQ(told,
            "nvidia.com/gpu.shared is called nvidia.com/gpu after the change: a pod that asks for "
            "nvidia.com/gpu.shared finds none here. By the old name ask ml/tune");
  EXPECT_EQ(severity, Severity::warning);
}

TEST(KubeNames, WhatWaitsForAnotherNameIsNotServed) {
  Sharing k("    renameByDefault: true\n", true);
  Workload other = waiting("ml/train", "bob", "nvidia.com/gpu");
  other.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu";
  k.tell(WorkloadsListed{{other}});
  EXPECT_EQ(k.plan(sharing_everywhere(Strategy::time_slicing, 8)).will_run_count, 0);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 8);
  intent.switches.rename_shared = false;
  EXPECT_EQ(k.plan(intent).will_run_count, 1);
}

}  // namespace
}  // namespace tessera
