// A plan of a Kubernetes node whose pod runs slurmd (Slinky) drains both, and ends none of Slurm's jobs.
#include <gtest/gtest.h>

#include "engine/plan/run/run.hpp"
#include "tests/engine/plan/operator_story.hpp"
#include "tests/engine/plan/slurm_plans.hpp"

namespace tessera::test::operator_story {
namespace {

struct Slinky : Kubernetes {
  Slinky() {
    Workload pod = running("slurm/w-0", "NodeSet/w", {holds("n1", {{0, 1}, {1, 1}})});
    pod.kind = WorkloadKind::pod;
    pod.requests = {{"nvidia.com/gpu", 2}};
    pod.restartable = true;
    tell(WorkloadsListed{{pod}});
    site.slurmd_pods["slurm/w-0"] = {"gpu-0", "n1", "w", true, {{"nvidia.com/gpu", 2}}};
    site.slurmd_pods["slurm/w-9"] = {"gpu-9", "n9", "w", true, {}};
  }
  std::string notices(const plan::Intent& intent, std::string_view rule) const {
    std::string all;
    for (const plan::Notice& one : plan(intent).notices)
      if (one.rule == rule) all += one.text + "\n";
    return all;
  }
};

TEST(SlurmdSteps, BothAreDrainedAndSlurmIsWaitedForBeforeItsPodIsEnded) {
  Slinky k;
  const std::vector<Step> steps = k.steps(everywhere("7x1g.10gb"));
  EXPECT_EQ(verbs_of(steps),
            "review-access look-only set-mark hold-autoscaler tell-slurm close-node look-only stop-slurmd "
            "look-only order-mig recover-mig-manager look-only look-only open-node look-only free-autoscaler "
            "clear-mark");
  const Step& stop = step_with(steps, "stop-slurmd");
  EXPECT_EQ(argument(stop, "pod"), "slurm/w-0");
  EXPECT_EQ(stop.title, "evict slurm/w-0, which runs slurmd of gpu-0");
  EXPECT_TRUE(has(stop.before, plan::WordIs{"Slurm's work", ""}));
  EXPECT_TRUE(has(stop.before, plan::NodeClosed{}));
  EXPECT_TRUE(has(stop.before, plan::MarkIsOurs{}));
  EXPECT_FALSE(stop.disturbs);
  const Step& waits = steps[6];
  EXPECT_EQ(waits.title, "wait until no Slurm job runs there");
  EXPECT_EQ(waits.deadline.count(), 0) << "as long as jobs take";
  const Step& back = steps[14];
  EXPECT_EQ(back.title, "wait until slurmd is back and takes jobs");
  EXPECT_TRUE(has(back.after, plan::WordIs{"slurmd", ""}));
  const std::string typed = commands(steps);
  EXPECT_NE(typed.find("kubectl annotate node n1 nodeset.slinky.slurm.net/node-cordon-reason=\"tessera RUN"),
            std::string::npos)
      << typed;
  EXPECT_NE(typed.find("kubectl auth can-i create pods/eviction --namespace slurm"), std::string::npos)
      << typed;
}

TEST(SlurmdSteps, ThatWorkMayBeSentAwayDoesNotReachSlurmsJobs) {
  for (plan::Way way : {plan::Way::requeue, plan::Way::cancel}) {
    Slinky k;
    plan::Intent intent = everywhere("7x1g.10gb");
    intent.options.way = way;
    const std::string verbs = verbs_of(k.steps(intent));
    EXPECT_EQ(verbs.find("evict"), std::string::npos) << verbs;
    EXPECT_NE(verbs.find("close-node look-only stop-slurmd"), std::string::npos) << verbs;
  }
}

TEST(SlurmdSteps, ANodeWithoutSlurmdIsPlannedAsBefore) {
  Slinky k;
  k.site.slurmd_pods.erase("slurm/w-0");
  const std::string verbs = verbs_of(k.steps(everywhere("7x1g.10gb")));
  EXPECT_EQ(verbs.find("slurm"), std::string::npos) << verbs;
  EXPECT_EQ(k.notices(everywhere("7x1g.10gb"), "nvsentinel"), "");
}

TEST(SlurmdSteps, APodThatMayStartElsewhereIsNotWaitedFor) {
  Slinky k;
  k.site.slurmd_pods["slurm/w-0"].stays = false;
  const std::string verbs = verbs_of(k.steps(everywhere("7x1g.10gb")));
  EXPECT_NE(verbs.find("open-node free-autoscaler"), std::string::npos) << verbs;
  EXPECT_NE(k.notices(everywhere("7x1g.10gb"), "slinky-placement"), "");
}

TEST(SlurmdSteps, WhatAnAdminMustKnowIsToldBeforehand) {
  Slinky k;
  const plan::Intent cut = everywhere("7x1g.10gb");
  EXPECT_NE(k.notices(cut, "slinky").find("pod slurm/w-0 runs slurmd of Slurm node gpu-0"),
            std::string::npos);
  EXPECT_NE(k.notices(cut, "slinky-request").find("0 of 2 nvidia.com/gpu"), std::string::npos)
      << "the NodeSet's pod could not start on the cut node";
  EXPECT_NE(k.notices(cut, "nvsentinel").find("nvsentinel.dgxc.nvidia.com/managed=false"), std::string::npos);
  Node labelled = k.node("n1");
  labelled.features.push_back("nvsentinel.dgxc.nvidia.com/managed=false");
  k.tell(NodeSeen{labelled});
  EXPECT_EQ(k.notices(cut, "nvsentinel"), "") << "it leaves the node alone already";
  k.site.slurmd_pods["slurm/w-0"].requests.clear();
  EXPECT_EQ(k.notices(cut, "slinky-request"), "");
  EXPECT_NE(k.notices(cut, "slinky-gres").find("NodeSet w"), std::string::npos);
}

// The NodeSet starts its pod on an open node alone: to wait for it before would be in vain.
TEST(SlurmdSteps, AlsoOnTheWayBackSlurmdIsWaitedForOnceTheNodeIsOpen) {
  Slinky k;
  plan::RunStarted started;
  started.run = "r1", started.plan = k.plan(everywhere("7x1g.10gb"));
  plan::Run run = plan::run_of(started);
  run.begun[NodeName("n1")] = {"stop-slurmd", "order-mig"};
  k.boards({cut(0, {instance("1g.10gb", 0, 1, 0)}), cut(1, {})});
  const plan::Means can = k.can();
  for (const bool back : {true, false}) {
    auto onward = plan::plan_onward(run, NodeName("n1"), k.cluster(), catalogue(), {}, back, at(1), &can);
    ASSERT_TRUE(onward.ok()) << to_line(onward.error());
    const std::vector<Step>& steps = onward->nodes.at(0).steps;
    const std::string verbs = verbs_of(steps);
    EXPECT_TRUE(verbs.ends_with("look-only open-node look-only free-autoscaler clear-mark")) << verbs;
    EXPECT_TRUE(has(steps[steps.size() - 3].after, plan::WordIs{"slurmd", ""})) << back;
    EXPECT_EQ(steps[steps.size() - 3].title, "wait until slurmd is back and takes jobs");
  }
}

struct SlurmInPods : SlurmPlans {};

TEST_F(SlurmInPods, TheSlurmSideRefusesAndSaysWhereToPlan) {
  EXPECT_EQ(plan_for(wants("7x1g.10gb")).no_steps, "");
  node.host_pod = HostPod{"slurm", "w-0"};
  const plan::Plan plan = plan_for(wants("7x1g.10gb"));
  EXPECT_NE(plan.no_steps.find("its slurmd runs in pod slurm/w-0 (Slinky)"), std::string::npos)
      << plan.no_steps;
  EXPECT_NE(plan.no_steps.find("Plan on the Kubernetes node"), std::string::npos);
  ASSERT_EQ(plan.nodes.size(), 1u);
  EXPECT_TRUE(plan.nodes[0].steps.empty());
}

}  // namespace
}  // namespace tessera::test::operator_story
