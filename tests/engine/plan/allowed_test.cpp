// Journals that a user has edited: what each act may say, held against the plan and against the site.
#include "engine/plan/allowed.hpp"

#include <gtest/gtest.h>

#include "engine/digest.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/slurmconf/slurm_setup.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace {

using namespace plan;
using operator_story::everywhere;

// A plan, one step of which is edited.
struct Edited {
  Plan plan;

  NodePlan& node() { return plan.nodes.at(0); }
  Step& step(std::string_view verb) {
    for (Step& one : node().steps)
      if (operator_story::verb_of(one) == verb) return one;
    ADD_FAILURE() << "no step " << verb;
    return node().steps.at(0);
  }
  std::string& argument(std::string_view verb, const std::string& name) {
    return std::get<Special>(step(verb).action).arguments.at(name);
  }
  // Empty: it may be carried out.
  std::string why() {
    return why_not_allowed(node(), intent_of(plan.intent, node().node), plan.means()).value_or("");
  }
  void expect_refused(const std::string& words) {
    EXPECT_NE(why().find(words), std::string::npos) << words << " / " << why();
  }
};

Edited simulated(Way way = Way::requeue) {
  Story story;
  story.tell(NodesListed{{node("n1", {cut(0, {instance("3g.40gb", 4, 4, 0)}), uncut(1, 1)})}});
  story.tell(WorkloadsListed{{running("7", "alice", {holds("n1", {{0, 1}})})}});
  Intent intent = wants("7x1g.10gb", std::nullopt);
  intent.options.way = way;
  return {make_plan(story.cluster(), catalogue(), intent, simulator_capabilities(), {}, at(0)).value()};
}

Edited on_slurm() {
  slurmconf::SlurmSetup site;
  site.major = 24, site.minor = 11;
  site.files = {{"/etc/slurm/slurm.conf",
                 "ClusterName=hpc\nGresTypes=gpu\nNodeName=n1 CPUs=64 Gres=gpu:h100:2 State=UNKNOWN\n"
                 "PartitionName=all Nodes=n1\n"},
                {"/etc/slurm/gres.conf", "NodeName=n1 Name=gpu Type=h100 File=/dev/nvidia[0-1]\n"}};
  site.reach = slurmconf::Reach::ssh;
  site.gpu_file = "/dev/nvidia{gpu}", site.instance_file = "/dev/gi{gpu}-{gi}";
  site.boot_file = "/etc/nvidia-mig-manager/config.yaml", site.boot_unit = "nvidia-mig-manager.service";
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0), uncut(1, 1)})}});
  Means can = slurm::capabilities_by(site.mig_tool);
  can.slurm = std::make_shared<const slurmconf::SlurmSetup>(site);
  return {make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), can, {}, at(0)).value()};
}

Edited on_kubernetes(const Intent& intent) { return {operator_story::Kubernetes().plan(intent)}; }

// The journal of the report: "MIG on" in the title, a reset in the action, nothing asked and nothing read
// back.
TEST(Allowed, AnActBehindAnothersTitleIsRefused) {
  Edited edit = simulated();
  ASSERT_EQ(edit.why(), "");
  Step& mode = edit.step("set-mode");
  mode.action = ResetGpus{{GpuIndex{0}}};
  mode.before.clear(), mode.after.clear();
  edit.expect_refused("which the plan does not announce");
  edit.node().needs.reset = true;
  edit.expect_refused("does not ask first whether work is there");
}

TEST(Allowed, WhatClearsABoardAsksForWorkAndForTheMarkAndIsReadBack) {
  auto without = [](auto drop) {
    Edited edit = simulated();
    drop(edit.step("destroy-instances"));
    return edit;
  };
  auto drop = [](Conditions& conditions, std::size_t kind) {
    std::erase_if(conditions, [&](const Condition& one) { return one.index() == kind; });
  };
  without([&](Step& step) {
    drop(step.before, Condition(ScopeEmpty{}).index());
  }).expect_refused("whether work is there");
  without([&](Step& step) {
    drop(step.before, Condition(MarkIsOurs{}).index());
  }).expect_refused("still ours");
  without([&](Step& step) { step.after.clear(); }).expect_refused("nothing reads back");
  without([&](Step& step) {
    std::get<DestroyInstances>(step.action).instances[0].at.start = 0;
  }).expect_refused("that the plan did not find");
  without([&](Step& step) {
    std::get<DestroyInstances>(step.action).gpu = GpuIndex{1};
  }).expect_refused("that the plan did not find");
}

TEST(Allowed, OnlyWorkThatThePlanNamesIsSentAwayAndOnlyAsItWasArmed) {
  Edited edit = simulated();
  ASSERT_EQ(edit.why(), "");
  std::get<Evict>(edit.step("evict").action).workload = WorkloadId("8");
  edit.expect_refused("sends 8 away, which the plan does not name");
  Edited harder = simulated();
  std::get<Evict>(harder.step("evict").action).way = Way::cancel;
  harder.expect_refused("armed with requeue");
}

TEST(Allowed, OtherInstancesAndModesThanThePlanWantsAreRefused) {
  Edited edit = simulated();
  std::get<CreateInstances>(edit.step("create-instances").action).instances[0].profile =
      ProfileName("7g.80gb");
  edit.expect_refused("that the plan does not want");
  Edited mode = simulated();
  std::get<SetMode>(mode.step("set-mode").action).mig = false;
  mode.expect_refused("which the plan does not want");
  Edited lock = simulated();
  std::get<SetMark>(lock.step("set-mark").action).break_lock = true;
  lock.expect_refused("breaks another run's lock");
  Edited special = simulated();
  special.step("set-mark").action = Special{"write-boot-file", {{"path", "/etc/cron.d/x"}}};
  special.expect_refused("no such act for this backend");
}

// "Wanted layout, read back" is what a plan promises: its steps must look at it.
TEST(Allowed, APlanWhoseStepsDoNotReadItsLayoutBackIsRefused) {
  Edited edit = simulated();
  for (Step& step : edit.node().steps) {
    if (operator_story::verb_of(step) == "create-instances") step.action = LookOnly{};
    std::erase_if(step.after, [](const Condition& one) { return std::holds_alternative<LayoutIs>(one); });
  }
  edit.expect_refused("no step reads back the layout");
}

// Every dialect reads back whatever it promises, also what is not cut.
TEST(Allowed, APlanThatReadsNothingBackOfAnotherWayOfSharingIsRefused) {
  Intent mps = wants("none");
  mps.boards[0].wish.strategy = Strategy::mps, mps.boards[0].wish.replicas = 4;
  Story story;
  story.tell(NodesListed{{node("n1", {uncut(0, 0), uncut(1, 1)})}});
  Edited edit{make_plan(story.cluster(), catalogue(), mps, simulator_capabilities(), {}, at(0)).value()};
  ASSERT_EQ(edit.why(), "");
  for (Step& step : edit.node().steps)
    std::erase_if(step.after, [](const Condition& one) { return std::holds_alternative<Advertises>(one); });
  edit.expect_refused("no step reads back what the node offers");
  Edited slurm = on_slurm();
  for (Step& step : slurm.node().steps)
    if (operator_story::verb_of(step) == "look-only" || operator_story::verb_of(step) == "restart-node")
      std::erase_if(step.after, [](const Condition& one) {
        const auto* word = std::get_if<WordIs>(&one);
        return word && word->key == slurm::key::kGres;
      });
  slurm.expect_refused("no step reads back what the node offers");
}

// What a plan says that its end is, is what its intent wishes for: the words above it, and what is armed.
TEST(Allowed, AnEndThatTheIntentDoesNotWishForIsRefused) {
  for (Edited edit : {simulated(), on_slurm(), on_kubernetes(everywhere("7x1g.10gb"))}) {
    ASSERT_EQ(edit.why(), "");
    Edited other = edit;
    other.plan.intent.boards[0].wish.instances.pop_back();
    other.expect_refused("the plan ends with another layout of GPU 0 than was requested");
    Edited whole = edit;
    whole.plan.intent.boards[0].wish = Wish{};
    whole.expect_refused("than was requested: whole GPU");
    Edited unasked = edit;
    unasked.plan.intent.boards[0].gpu = GpuIndex{1};
    unasked.expect_refused("nothing is requested for it");
    Edited missing = edit;
    missing.plan.intent.boards.push_back({GpuIndex{7}, missing.plan.intent.boards[0].wish});
    missing.expect_refused("does not say what becomes of GPU 7");
  }
}

// On Kubernetes the order makes the layout: a configuration of the same name that cuts otherwise is not it.
TEST(Allowed, AnOrderThatMakesAnotherLayoutThanThePlanShowsIsRefused) {
  Edited edit = on_kubernetes(everywhere("7x1g.10gb"));
  ASSERT_EQ(edit.why(), "");
  edit.argument("order-mig", "config") = "all-disabled";
  edit.expect_refused("the MIG configuration all-disabled does not make the layout of GPU 0");
  edit.argument("order-mig", "config") = "all-of-mine";
  edit.expect_refused("what the MIG configuration all-of-mine makes is not known here");
  Edited offer = on_kubernetes(everywhere("7x1g.10gb"));
  for (auto& [resource, count] : offer.node().offered_after.kubernetes) ++count;
  offer.expect_refused("no step reads back what the node offers");
}

TEST(Allowed, TheBootFileAndItsUnitAreTheOnesThatAreSetHere) {
  Edited edit = on_slurm();
  ASSERT_EQ(edit.why(), "");
  edit.argument("write-boot-file", "path") = "/etc/cron.d/evil";
  edit.expect_refused(
      "slurm-boot-file is /etc/cron.d/evil in the journal and "
      "/etc/nvidia-mig-manager/config.yaml here");
  Edited text = on_slurm();
  std::string& written = text.argument("write-boot-file", "text");
  written = "# n1: written by tessera\n* * * * * root touch /x\n";
  for (Condition& one : text.step("write-boot-file").after) std::get<WordIs>(one).value = digest(written);
  text.expect_refused("no layout of tessera's");
  Edited unit = on_slurm();
  unit.argument("boot-unit", "unit") = "evil.service";
  unit.expect_refused("slurm-boot-unit is evil.service");
  Edited state = on_slurm();
  state.argument("boot-unit", "state") = "masked";
  for (Condition& one : state.step("boot-unit").after) std::get<WordIs>(one).value = "masked";
  state.expect_refused("it sets the boot unit to another state");
  Edited unset = on_slurm();
  slurmconf::SlurmSetup bare = *unset.plan.setup.slurm;
  bare.boot_file.clear();
  unset.plan.setup.slurm = std::make_shared<const slurmconf::SlurmSetup>(bare);
  unset.expect_refused("not set here");
}

TEST(Allowed, SlurmsFilesAreWrittenOnlyWhereNoJobRunsAndAsThePlanReadsThemBack) {
  Edited edit = on_slurm();
  edit.argument("write-config", "gres") = "gpu:h100:16";
  edit.expect_refused("nothing reads back");
  Edited busy = on_slurm();
  busy.step("write-config").before = {MarkIsOurs{}};
  busy.expect_refused("whether work is there");
  Edited reboot = on_slurm();
  reboot.step("reconfigure").action = Special{"format-disk", {}};
  reboot.expect_refused("no such act");
  Edited more = on_slurm();
  more.step("reconfigure").action = Special{"restart-node", {{"unit", "x"}}};
  more.expect_refused("arguments that no such act has");
}

TEST(Allowed, OnKubernetesOnlyTheOperatorsObjectsAndLabelsAreWritten) {
  Edited edit = on_kubernetes(everywhere("7x1g.10gb"));
  ASSERT_EQ(edit.why(), "");
  Step& order = edit.step("order-mig");
  const Action ordered = order.action;
  order.action = Special{"label-node", {{"node-role.kubernetes.io/control-plane", "x"}}};
  edit.expect_refused("not one of tessera's");
  order.action =
      Special{"patch-cluster-policy",
              {{"policy", "cluster-policy"}, {"patch", R"({"spec":{"driver":{"enabled":false}}})"}}};
  edit.expect_refused("more of the ClusterPolicy");
  order.action = Special{"patch-cluster-policy", {{"policy", "other"}, {"patch", "{}"}}};
  edit.expect_refused("the ClusterPolicy is other in the journal");
  order.action = Special{"write-mig-config", {{"map", "kube-root-ca.crt"}, {"name", "tessera-1"}}};
  edit.expect_refused("which the operator does not read here");
  order.action = Special{"write-plugin-config", {{"map", "plugin-configs"}, {"name", "default"}}};
  edit.expect_refused("not tessera's: default");
  order.action = Special{"recover-mig-manager", {{"config", "x"}, {"namespace", "prod"}}};
  edit.expect_refused("namespace is prod");
  order.action = ResetGpus{{GpuIndex{0}}};
  edit.node().needs.reset = true, edit.node().scope = Scope{};
  edit.expect_refused("no such act for this backend");
  order.action = ordered;
  order.before = {MarkIsOurs{}};
  edit.expect_refused("whether work is there");
}

// Everything that the step should ask and read back is there; only the plan never said that GPUs are reset.
TEST(Allowed, AResetThatThePlanDoesNotAnnounceIsRefused) {
  Edited edit = simulated();
  Step& step = edit.step("destroy-instances");
  step.action = ResetGpus{{GpuIndex{0}}};
  edit.node().needs.reset = false;
  auto why = why_not_allowed(step, edit.node(), edit.plan.intent.options, edit.plan.means());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("which the plan does not announce"), std::string::npos) << *why;
}

TEST(Allowed, AnInstanceBesideTheEmptiedOnesIsNotDestroyed) {
  Story story;
  story.tell(
      NodesListed{{node("n1", {cut(0, {instance("1g.10gb", 0, 1, 0), instance("3g.40gb", 4, 4, 1)})})}});
  Edited edit{make_plan(story.cluster(), catalogue(), wants("1g.10gb@0,2g.20gb@4"), simulator_capabilities(),
                        {}, at(0))
                  .value()};
  ASSERT_EQ(edit.why(), "");
  Step& step = edit.step("destroy-instances");
  for (const InstanceAt& one : edit.node().before.at(0).instances)
    if (one.profile.text == "1g.10gb") std::get<DestroyInstances>(step.action).instances = {one};
  step.after = {InstancesGone{GpuIndex{0}, std::get<DestroyInstances>(step.action).instances}};
  edit.expect_refused("whether work is on GPU 0");
}

TEST(Allowed, TheBootFileOfAnotherNodeIsRefused) {
  Edited edit = on_slurm();
  std::string& text = edit.argument("write-boot-file", "text");
  text.replace(text.find("n1"), 2, "n2");
  for (Condition& one : edit.step("write-boot-file").after) std::get<WordIs>(one).value = digest(text);
  edit.expect_refused("no layout of tessera's");
}

TEST(Allowed, APatchThatSaysMoreOfTheConfigurationThanItsNameIsRefused) {
  Edited edit = on_kubernetes(everywhere("7x1g.10gb"));
  const std::string ours(operators::kOurMigMap);
  edit.step("order-mig").action = Special{"patch-cluster-policy",
                                          {{"policy", "cluster-policy"},
                                           {"patch", R"({"spec":{"migManager":{"config":{"name":")" + ours +
                                                         R"(","default":"all-1g.10gb"}}}})"}}};
  edit.expect_refused("more of the ClusterPolicy");
}

}  // namespace
}  // namespace tessera::test
