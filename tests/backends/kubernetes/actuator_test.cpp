// Changing nodes through the API: what is written to one, and whole runs against the simulated API server
// with its GPU operator.
#include "backends/kubernetes/change/actuator.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <filesystem>
#include <future>

#include "backends/kubernetes/api.hpp"
#include "backends/kubernetes/backend.hpp"
#include "backends/mailbox.hpp"
#include "backends/sim/gpu_operator/serve.hpp"
#include "engine/model/reduce.hpp"
#include "engine/plan/run/run.hpp"
#include "tests/backends/kubernetes/one_node.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/http_script.hpp"
#include "tests/support/patience.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono_literals;

TEST(KubeDeeds, TheMarkIsALockOnWhatWasRead) {
  OneNode node;
  ASSERT_TRUE(node.perform(plan::SetMark{}));
  ASSERT_EQ(node.sent("PATCH").size(), 1u);
  EXPECT_EQ(
      node.sent("PATCH")[0],
      R"({"metadata":{"annotations":{"tessera/run":"tessera r1 ann@login1 2026-11-21T12:00:00Z"},"resourceVersion":"7"}})");
  node.marked();
  EXPECT_TRUE(node.perform(plan::SetMark{}));  // ours already
  EXPECT_EQ(node.sent("PATCH").size(), 1u);
  Status other = node.perform(plan::SetMark{}, "r2");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().reason.find("marked by tessera r1"), std::string::npos);
  EXPECT_TRUE(node.perform(plan::SetMark{true}, "r2"));
  EXPECT_TRUE(node.perform(plan::ClearMark{}, "r2"));  // not ours: nothing is taken off
  EXPECT_EQ(node.sent("PATCH").size(), 2u);
}

TEST(KubeDeeds, WhoeverWasQuickerIsNotOverwritten) {
  OneNode node;
  node.instead = [](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.method != "PATCH") return std::nullopt;
    return OneNode::Answer{
        409,
        R"({"kind":"Status","reason":"Conflict","message":"the object has been modified","code":409})",
        {}};
  };
  Status lost = node.perform(plan::SetMark{});
  ASSERT_FALSE(lost);
  EXPECT_NE(lost.error().reason.find("the object has been modified"), std::string::npos);
}

TEST(KubeDeeds, AServerThatIsBusyIsAskedAgainWhenItSaysSo) {
  OneNode node;
  std::atomic<int> busy = 2;
  node.instead = [&](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.method != "PATCH" || busy-- <= 0) return std::nullopt;
    return OneNode::Answer{
        429, R"({"kind":"Status","message":"too many requests","code":429})", {"Retry-After: 0"}};
  };
  ASSERT_TRUE(node.perform(plan::SetMark{}));
  EXPECT_EQ(node.sent("PATCH").size(), 3u);
  busy = 100;
  Status given_up = node.perform(plan::SetMark{}, "r2");
  ASSERT_FALSE(given_up);
  EXPECT_NE(given_up.error().reason.find("too many requests (429)"), std::string::npos);
  EXPECT_EQ(node.sent("PATCH").size(), 8u);
}

TEST(KubeDeeds, NothingIsWrittenToANodeThatIsNotMarkedByTheRun) {
  OneNode node;
  using plan::Special;
  for (const plan::Action& action :
       {plan::Action(plan::CloseNode{"x"}),
        plan::Action(Special{"label-node", {{"nvidia.com/mig.config", "a"}}}),
        plan::Action(Special{"order-mig", {{"config", "a"}}}), plan::Action(Special{"hold-autoscaler", {}}),
        plan::Action(Special{"recover-mig-manager", {{"namespace", "gpu-operator"}}})}) {
    Status refused = node.perform(action);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().reason.find("mark is not on it"), std::string::npos);
  }
  EXPECT_TRUE(node.sent("PATCH").empty());
}

TEST(KubeDeeds, ACordonIsOpenedOnlyWhereItIsOurs) {
  OneNode node;
  node.marked();
  ASSERT_TRUE(node.perform(plan::CloseNode{"cut it"}));
  EXPECT_EQ(
      node.sent("PATCH").back(),
      R"({"metadata":{"annotations":{"tessera/closed":"tessera r1 ann@login1: cut it"},"resourceVersion":"7"},"spec":{"unschedulable":true}})");
  node.spec = R"("unschedulable":true)";
  std::size_t before = node.sent("PATCH").size();
  EXPECT_TRUE(node.perform(plan::OpenNode{}));  // another user's
  EXPECT_EQ(node.sent("PATCH").size(), before);
  node.annotations += R"(,"tessera/closed":"tessera r1 ann@login1: cut it")";
  EXPECT_TRUE(node.perform(plan::OpenNode{}));
  EXPECT_EQ(
      node.sent("PATCH").back(),
      R"({"metadata":{"annotations":{"tessera/closed":null},"resourceVersion":"7"},"spec":{"unschedulable":null}})");
}

TEST(KubeDeeds, ACordonOfAnotherRunIsNotOpened) {
  OneNode node;
  node.marked();
  node.spec = R"("unschedulable":true)";
  node.annotations += R"(,"tessera/closed":"tessera r9 eve@login2: hers")";
  const std::size_t before = node.sent("PATCH").size();
  EXPECT_TRUE(node.perform(plan::OpenNode{}));
  EXPECT_EQ(node.sent("PATCH").size(), before);
}

TEST(KubeDeeds, AutoscalersGetTheirAnnotationsBackAsTheyWere) {
  OneNode node;
  node.marked();
  node.annotations += R"(,"karpenter.sh/do-not-disrupt":"true")";  // the site's own
  ASSERT_TRUE(node.perform(plan::Special{"hold-autoscaler", {}}));
  std::string patch = node.sent("PATCH").back();
  EXPECT_NE(patch.find(R"("cluster-autoscaler.kubernetes.io/scale-down-disabled":"true")"),
            std::string::npos);
  EXPECT_EQ(patch.find("karpenter"), std::string::npos) << patch;
  node.annotations += R"(,"cluster-autoscaler.kubernetes.io/scale-down-disabled":"true",)"
                      R"("tessera/held":"cluster-autoscaler.kubernetes.io/scale-down-disabled=")";
  ASSERT_TRUE(node.perform(plan::Special{"free-autoscaler", {}}));
  patch = node.sent("PATCH").back();
  EXPECT_NE(patch.find(R"("cluster-autoscaler.kubernetes.io/scale-down-disabled":null)"), std::string::npos);
  EXPECT_EQ(patch.find("karpenter"), std::string::npos) << patch;
}

TEST(KubeDeeds, ALabelThatSaysSoAlreadyIsTakenOffFirst) {
  OneNode node;
  node.marked();
  plan::Special order{"order-mig", {{"config", "all-balanced"}}};
  ASSERT_TRUE(node.perform(order));
  ASSERT_EQ(node.sent("PATCH").size(), 1u);
  EXPECT_NE(node.sent("PATCH")[0].find(
                R"("nvidia.com/mig.config":"all-balanced","nvidia.com/mig.config.state":null)"),
            std::string::npos);
  node.labels = R"("nvidia.com/mig.config":"all-balanced","nvidia.com/mig.config.state":"failed")";
  ASSERT_TRUE(node.perform(order));
  ASSERT_EQ(node.sent("PATCH").size(), 3u);
  EXPECT_NE(node.sent("PATCH")[1].find(R"("nvidia.com/mig.config":null)"), std::string::npos);
}

TEST(KubeDeeds, AnotherUsersOrderIsNotOverruled) {
  OneNode node;
  node.marked();
  plan::Special order{"order-mig", {{"config", "all-balanced"}, {"found", "all-disabled"}}};
  node.labels = R"("nvidia.com/mig.config":"all-1g.10gb","nvidia.com/mig.config.state":"success")";
  Status refused = node.perform(order);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().reason.find("another user has ordered all-1g.10gb"), std::string::npos);
  EXPECT_TRUE(node.sent("PATCH").empty());
  node.labels = R"("nvidia.com/mig.config":"all-disabled")";
  ASSERT_TRUE(node.perform(order));
  EXPECT_EQ(node.sent("PATCH").size(), 1u);
}

TEST(KubeDeeds, ABudgetsRefusalIsToldInItsWords) {
  OneNode node;
  node.instead = [](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.target.ends_with("/eviction"))
      return OneNode::Answer{
          429,
          R"({"kind":"Status","message":"Cannot evict pod as it would violate the pod's disruption budget.","reason":"TooManyRequests","details":{"causes":[{"reason":"DisruptionBudget","message":"The disruption budget web needs 2 healthy pods and has 2 currently"}]},"code":429})",
          {}};
    if (asked.target.starts_with("/api/v1/namespaces/ml/pods/"))
      return OneNode::Answer{
          200,
          asked.target.ends_with("mon")
              ? R"({"metadata":{"name":"mon","uid":"u2","ownerReferences":[{"kind":"DaemonSet","name":"mon"}]},"spec":{"nodeName":"n1"}})"
              : R"({"metadata":{"name":"web-1","uid":"u1"},"spec":{"nodeName":"n1"}})",
          {}};
    if (asked.target == "/api/v1") return OneNode::Answer{200, core_resources("v1"), {}};
    return std::nullopt;
  };
  Status refused = node.perform(plan::Evict{WorkloadId("ml/web-1"), plan::Way::requeue});
  ASSERT_FALSE(refused);
  EXPECT_NE(node.sent("POST")[0].find(R"("apiVersion":"policy/v1")"), std::string::npos);
  EXPECT_EQ(refused.error().what, "cannot evict ml/web-1");
  EXPECT_NE(refused.error().reason.find("The disruption budget web needs 2 healthy pods"), std::string::npos);
  EXPECT_NE(node.sent("POST")[0].find(R"("uid":"u1")"), std::string::npos);
  Status daemon = node.perform(plan::Evict{WorkloadId("ml/mon"), plan::Way::requeue});
  ASSERT_FALSE(daemon);
  EXPECT_NE(daemon.error().reason.find("belongs to a DaemonSet"), std::string::npos);
  EXPECT_EQ(node.sent("POST").size(), 1u);
  EXPECT_TRUE(node.perform(plan::Evict{WorkloadId("gone/pod"), plan::Way::requeue}));
}

// A pod that the list cannot tell of was left out, and the node looked empty to the run.
TEST(KubeDeeds, ANodeWithAPodThatCannotBeReadIsNotLookedAt) {
  OneNode node;
  std::string pod = R"({"metadata":{"namespace":"ml","name":"p"},"spec":null})";
  node.instead = [&](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.target == "/api/v1/nodes/n1")
      return OneNode::Answer{200, R"({"metadata":{"name":"n1"},"spec":{},"status":{}})", {}};
    if (asked.target.starts_with("/api/v1/pods"))
      return OneNode::Answer{200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + pod + "]}", {}};
    return std::nullopt;
  };
  auto look = [&] {
    std::promise<Result<plan::NodeFacts>> told;
    node.actuator().observe(NodeName("n1"),
                            [&](Result<plan::NodeFacts> facts) { told.set_value(std::move(facts)); });
    return told.get_future().get();
  };
  Result<plan::NodeFacts> facts = look();
  ASSERT_FALSE(facts);
  EXPECT_EQ(facts.error().what, "cannot determine who uses n1");
  EXPECT_EQ(facts.error().reason, "1 of its pods cannot be read: ml/p has no spec");
  pod = R"({"metadata":{"namespace":"ml","name":"p"},"spec":{}})";
  EXPECT_TRUE(look());
}

TEST(KubeDeeds, WhatIsUnderWayEndsWithAnErrorWhenTheBackendGoes) {
  auto node = std::make_unique<OneNode>();
  node->instead = [](const test::HttpScript::Asked&) {
    OneNode::Answer silent;
    silent.silent = true;
    return std::optional(silent);
  };
  std::promise<bool> told;
  node->actuator().observe(NodeName("n1"),
                           [&](Result<plan::NodeFacts> facts) { told.set_value(facts.ok()); });
  node.reset();
  auto answer = told.get_future();
  ASSERT_EQ(answer.wait_for(test::kPatience), std::future_status::ready);
  EXPECT_FALSE(answer.get());
}

}  // namespace
}  // namespace tessera::kubernetes
