// What the API server does not tell is neither an empty list nor a yes; and what others have set on a node
// stays theirs.
#include <gtest/gtest.h>

#include "engine/plan/words/operator_words.hpp"
#include "tests/backends/kubernetes/one_node.hpp"

namespace tessera::kubernetes::refused_story {
namespace {

using Asked = test::HttpScript::Asked;

OneNode::Answer status(int code) {
  return {code, R"({"kind":"Status","message":"not now","code":)" + std::to_string(code) + "}", {}};
}
OneNode::Answer listed(const std::string& items) {
  return {200, R"({"metadata":{"resourceVersion":"5"},"items":[)" + items + "]}", {}};
}

TEST(KubeDeeds, AListOfPodsThatCannotBeReadIsNoEmptyOne) {
  OneNode node;
  int code = 403;
  node.instead = [&](const Asked& asked) -> std::optional<OneNode::Answer> {
    if (!asked.target.starts_with("/api/v1/pods")) return std::nullopt;
    return code == 200 ? listed("") : status(code);
  };
  Result<plan::NodeFacts> facts = node.observe();
  ASSERT_FALSE(facts) << "the node would pass for empty";
  EXPECT_NE(facts.error().reason.find("not now"), std::string::npos) << to_line(facts.error());
  code = 200;
  EXPECT_TRUE(node.observe());
}

TEST(KubeDeeds, AnAccessReviewThatFailsIsNoPermission) {
  OneNode node;
  const plan::Special review{"review-access", {{"verbs", "patch nodes, create pods/eviction in ml"}}};
  bool in_trouble = true;
  node.instead = [&](const Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.method != "POST") return std::nullopt;
    if (in_trouble && asked.body.find("eviction") != std::string::npos) return status(403);
    return OneNode::Answer{201, R"({"status":{"allowed":true}})", {}};
  };
  Status failed = node.perform(review);
  ASSERT_FALSE(failed) << "whether pods may be evicted was not told";
  EXPECT_NE(failed.error().reason.find("not now"), std::string::npos) << to_line(failed.error());
  in_trouble = false;
  EXPECT_TRUE(node.perform(review));
}

// Written over, it would pass for ours, and be opened by us afterwards.
TEST(KubeDeeds, ACordonOfAnotherAdminGetsNoReasonOfOurs) {
  OneNode node;
  node.marked();
  node.spec = R"("unschedulable":true)";
  EXPECT_TRUE(node.perform(plan::CloseNode{"cut it"}));
  EXPECT_TRUE(node.sent("PATCH").empty());
}

TEST(KubeDeeds, WhatAnAutoscalersAnnotationSaidBeforeIsGivenBack) {
  OneNode node;
  node.marked();
  const std::string key = "cluster-autoscaler.kubernetes.io/scale-down-disabled";
  node.annotations += ",\"" + key + R"(":"false")";  // the site's own
  ASSERT_TRUE(node.perform(plan::Special{"hold-autoscaler", {}}));
  const std::string kept = node.sent("PATCH").back();
  EXPECT_NE(kept.find(key + "=false"), std::string::npos) << kept;
  node.marked();
  node.annotations += ",\"" + key + R"(":"true","tessera/held":")" + key + "=false\"";
  ASSERT_TRUE(node.perform(plan::Special{"free-autoscaler", {}}));
  EXPECT_NE(node.sent("PATCH").back().find("\"" + key + R"(":"false")"), std::string::npos)
      << node.sent("PATCH").back();
}

// Another pod of that name that has started meanwhile does not hang.
TEST(KubeDeeds, AManagerThatHangsIsDeletedByItsUid) {
  OneNode node;
  node.marked();
  node.labels = R"("nvidia.com/gpu.deploy.device-plugin":"paused-for-mig-change")";
  node.instead = [](const Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.method == "DELETE") return OneNode::Answer{200, "{}", {}};
    if (asked.target.starts_with("/api/v1/namespaces/gpu-operator/pods?"))
      return listed(R"({"metadata":{"name":"mig-manager-x","uid":"u9"}})");
    return std::nullopt;
  };
  ASSERT_TRUE(node.perform(plan::Special{"recover-mig-manager", {{"namespace", "gpu-operator"}}}));
  ASSERT_EQ(node.sent("DELETE").size(), 1u);
  EXPECT_NE(node.sent("DELETE")[0].find(R"("preconditions":{"uid":"u9"})"), std::string::npos)
      << node.sent("DELETE")[0];
}

}  // namespace
}  // namespace tessera::kubernetes::refused_story
