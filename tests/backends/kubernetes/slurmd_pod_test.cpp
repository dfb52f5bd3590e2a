// Pods that run slurmd (Slinky): how they are known, and when one may be ended.
#include "backends/kubernetes/objects/slurmd_pod.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/change/node_facts.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "engine/operators/slinky.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "tests/backends/kubernetes/one_node.hpp"
#include "tests/backends/kubernetes/one_pod.hpp"

namespace tessera::kubernetes {
namespace {

namespace words = plan::words;
namespace verbs = plan::verbs;

constexpr const char* kLabels =
    R"("labels":{"nodeset.slinky.slurm.net/pod-hostname":"gpu-0","nodeset.slinky.slurm.net/scaling-mode":"DaemonSet"},)"
    R"("ownerReferences":[{"apiVersion":"slinky.slurm.net/v1beta1","kind":"NodeSet","name":"w","controller":true}])";
constexpr const char* kAnswered = R"(,"annotations":{"nodeset.slinky.slurm.net/pod-cordon":"true"})";

std::string conditions(const std::string& states, const std::string& reason = "slurm-operator: cordoned") {
  std::string all = R"({"type":"Ready","status":"True"})";
  std::string state;
  for (char c : states + "+")
    if (c == '+') {
      if (!state.empty())
        all += R"(,{"type":"SlurmNodeState)" + state + R"(","status":"True","message":")" + reason + R"("})";
      state.clear();
    } else {
      state += c;
    }
  return R"("phase":"Running","conditions":[)" + all + "]";
}
PodObject slurmd(const std::string& status, const std::string& meta = "") {
  return pod(R"("nodeName":"n1","containers":[{"name":"slurmd"}])", status, kLabels + meta);
}

TEST(SlurmdPod, ItIsWorkOnAGpuNodeEvenIfItAsksForNoGpu) {
  const PodObject one = slurmd(conditions("Mixed"));
  EXPECT_EQ(slurm_node_of(one), "gpu-0");
  EXPECT_TRUE(is_gpu_work(one, true));
  EXPECT_FALSE(is_gpu_work(one, false));
  const Workload work = workload_of(one, nullptr, {});
  EXPECT_EQ(work.comment, "runs slurmd of gpu-0: MIXED (slurm-operator: cordoned)");
  ASSERT_EQ(work.allocations.size(), 1u);
  EXPECT_EQ(work.allocations[0].node, NodeName("n1"));
  EXPECT_EQ(work.user, "NodeSet/w");
  EXPECT_EQ(slurmd_pod_of(one), (operators::SlurmdPod{"gpu-0", "n1", "w", true, {}}));
  EXPECT_EQ(slurm_node_of(pod(R"("nodeName":"n1","hostname":"gpu-0","containers":[{}])")), "")
      << "a host's name alone makes no slurmd";
}

TEST(SlurmdPod, OlderOperatorsNameItByItsOwner) {
  const std::string owner =
      R"("ownerReferences":[{"apiVersion":"slinky.slurm.net/v1beta1","kind":"NodeSet","name":"w","controller":true}])";
  EXPECT_EQ(slurm_node_of(pod(R"("nodeName":"n1","containers":[{}])", "", owner)), "p");
  EXPECT_EQ(slurm_node_of(pod(R"("nodeName":"n1","hostname":"gpu-4","containers":[{}])", "", owner)),
            "gpu-4");
  const std::string others =
      R"("ownerReferences":[{"apiVersion":"example.com/v1","kind":"NodeSet","name":"w","controller":true}])";
  EXPECT_EQ(slurm_node_of(pod(R"("nodeName":"n1","containers":[{}])", "", others)), "")
      << "another operator's kind of that name";
}

TEST(SlurmdPod, ConditionsAreReadAsSlurmsOwnFlags) {
  EXPECT_EQ(slurmd(conditions("Idle+NotResponding+InvalidReg")).slurm_states,
            (std::vector<std::string>{"IDLE", "NOT_RESPONDING", "INVALID_REG"}));
  EXPECT_TRUE(slurmd(R"("conditions":[{"type":"SlurmNodeStateIdle","status":"False"},)"
                     R"({"type":"SlurmNodeState","status":"True"},{"type":"SlurmNodeStateIdle"}])")
                  .slurm_states.empty());
  std::string many;
  for (int i = 0; i < 100; ++i) many += "+X" + std::to_string(i);
  EXPECT_LE(slurmd(conditions(many)).slurm_states.size(), 16u);
}

TEST(SlurmdPod, ItMayBeEndedOnceSlurmHasDrainedAndEmptiedItsNode) {
  EXPECT_EQ(why_in_use(slurmd(conditions("Idle+Drain"), kAnswered)), "");
  EXPECT_EQ(why_in_use(slurmd(conditions("Down", "Not responding"))), "");
  EXPECT_EQ(why_in_use(slurmd(conditions("Idle+Drain", "fan failure [ops]"))), "")
      << "another's drain is never answered by slurm-operator";
  EXPECT_EQ(why_in_use(slurmd(conditions("Mixed+Drain"), kAnswered)),
            "team/p runs slurmd of gpu-0, which is MIXED+DRAIN in Slurm");
  EXPECT_NE(why_in_use(slurmd(conditions("Idle"), kAnswered)), "");
  EXPECT_NE(why_in_use(slurmd(R"("phase":"Running")", kAnswered)), "") << "not told is not empty";
  EXPECT_NE(why_in_use(slurmd(conditions("Idle+Drain"))), "") << "of a drain before this cordon";
}

TEST(SlurmdPod, ItIsBackOnceSlurmHasItsNode) {
  EXPECT_EQ(why_not_back(slurmd(conditions("Idle", ""))), "");
  EXPECT_EQ(why_not_back(slurmd(conditions("Idle+Drain", "fan failure"))), "") << "that is another's to open";
  EXPECT_NE(why_not_back(slurmd(conditions("Idle+Drain"))), "");
  EXPECT_NE(why_not_back(slurmd(conditions("Idle+InvalidReg", ""))), "");
  EXPECT_NE(why_not_back(slurmd(R"("phase":"Running")")), "");
  EXPECT_NE(why_not_back(slurmd(R"("phase":"Pending")")), "");
}

// --- what an actuator does with them

struct SlurmdNode : OneNode {
  std::string pods = "";

  SlurmdNode() {
    instead = [this](const test::HttpScript::Asked& asked) -> std::optional<Answer> {
      if (asked.target == "/api/v1") return Answer{200, core_resources("v1"), {}};
      if (asked.method == "POST") return Answer{201, R"({"kind":"Status","status":"Success"})", {}};
      if (asked.target.ends_with("/pods/w-0") && !pods.empty()) return Answer{200, pods, {}};
      if (asked.target.starts_with("/api/v1/pods?"))
        return Answer{200, R"({"metadata":{"resourceVersion":"1"},"items":[)" + pods + "]}", {}};
      return std::nullopt;
    };
  }
  void runs(const std::string& status, const std::string& meta = "") {
    pods = R"({"metadata":{"namespace":"slurm","name":"w-0","uid":"u1",)" + std::string(kLabels) + meta +
           R"(},"spec":{"nodeName":"n1","containers":[{"name":"slurmd"}]},"status":{)" + status + "}}";
  }
  std::string word(std::string_view key) {
    auto facts = observe();
    EXPECT_TRUE(facts.ok()) << (facts ? "" : to_line(facts.error()));
    return facts ? facts->words.at(std::string(key)) : "?";
  }
  Status stop(const std::string& pod = "slurm/w-0") {
    return perform(plan::Special{std::string(verbs::kStopSlurmd), {{"pod", pod}, {"slurm_node", "gpu-0"}}});
  }
};

TEST(SlurmdActs, NoPodIsEndedInWhichSlurmRunsJobsWhateverAPlanSays) {
  SlurmdNode node;
  node.marked();
  node.runs(conditions("Mixed+Drain"), kAnswered);
  Status refused = node.stop();
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("MIXED+DRAIN in Slurm"), std::string::npos);
  EXPECT_FALSE(node.perform(plan::Evict{WorkloadId("slurm/w-0"), plan::Way::cancel}))
      << "a plan from before its slurmd was known";
  EXPECT_TRUE(node.sent("POST").empty());
  node.runs(conditions("Idle+Drain"), kAnswered);
  EXPECT_TRUE(node.stop());
  ASSERT_EQ(node.sent("POST").size(), 1u);
  EXPECT_NE(node.sent("POST")[0].find(R"("uid":"u1")"), std::string::npos);
}

TEST(SlurmdActs, OnlySlurmdIsEndedSo) {
  SlurmdNode node;
  node.pods = R"({"metadata":{"namespace":"slurm","name":"w-0","uid":"u1"},"spec":{"nodeName":"n1"}})";
  Status refused = node.stop();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().reason, "it runs no slurmd");
  EXPECT_FALSE(node.stop("w-0"));
  EXPECT_TRUE(node.stop("slurm/gone")) << "it has gone already";
}

TEST(SlurmdActs, TheReasonIsToldOnceAndGoesWithTheRun) {
  SlurmdNode node;
  const plan::Special tell{std::string(verbs::kTellSlurm), {{"words", "cut it"}}};
  EXPECT_FALSE(node.perform(tell)) << "the node carries no mark of the run";
  node.marked();
  EXPECT_TRUE(node.perform(tell));
  ASSERT_EQ(node.sent("PATCH").size(), 1u);
  EXPECT_NE(node.sent("PATCH")[0].find(
                R"("nodeset.slinky.slurm.net/node-cordon-reason":"tessera r1 ann@login1: cut it")"),
            std::string::npos)
      << node.sent("PATCH")[0];
  const std::string mark = node.annotations;
  node.annotations = mark + R"(,"nodeset.slinky.slurm.net/node-cordon-reason":"fan failure")";
  EXPECT_TRUE(node.perform(tell));
  EXPECT_TRUE(node.perform(plan::ClearMark{}));
  EXPECT_EQ(node.sent("PATCH").size(), 2u) << "another's words stay";
  EXPECT_EQ(node.sent("PATCH")[1].find("cordon-reason"), std::string::npos);
  node.annotations =
      mark + R"(,"nodeset.slinky.slurm.net/node-cordon-reason":"tessera r1 ann@login1: cut it")";
  EXPECT_TRUE(node.perform(plan::ClearMark{}));
  EXPECT_NE(node.sent("PATCH").back().find(R"("nodeset.slinky.slurm.net/node-cordon-reason":null)"),
            std::string::npos);
}

TEST(SlurmdActs, WhatARunWaitsForIsTold) {
  SlurmdNode node;
  EXPECT_EQ(node.word(words::kSlurmWork), "");
  EXPECT_EQ(node.word(words::kSlurmBack), "no pod that runs slurmd is on n1");
  EXPECT_NE(node.word(words::kSlurmReason), "");
  node.spec = R"("unschedulable":true)";
  EXPECT_EQ(node.word(words::kSlurmBack), "") << "on a machine that another keeps closed none is started";
  node.spec.clear();
  node.runs(conditions("Allocated"));
  EXPECT_EQ(node.word(words::kSlurmWork), "slurm/w-0 runs slurmd of gpu-0, which is ALLOCATED in Slurm");
  EXPECT_EQ(node.word(words::kSlurmBack), "");
  EXPECT_EQ(node.word(words::kGpuPods), "slurm/w-0 runs slurmd of gpu-0");
  node.annotations = R"("nodeset.slinky.slurm.net/node-cordon-reason":"x")";
  EXPECT_EQ(node.word(words::kSlurmReason), "");
}

}  // namespace
}  // namespace tessera::kubernetes
