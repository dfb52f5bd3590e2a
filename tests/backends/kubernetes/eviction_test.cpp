// Evictions in the version that a server takes, what is not asked for again, and acts that are given up.
#include <gtest/gtest.h>

#include "engine/plan/words/operator_words.hpp"
#include "tests/backends/kubernetes/one_node.hpp"

namespace tessera::kubernetes {
namespace {

using std::chrono_literals::operator""min;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
namespace words = plan::words;

// A server before 1.22 refuses policy/v1 with 400: it says itself what it takes.
TEST(KubeDeeds, AnEvictionIsAskedForInTheVersionThatTheServerTakes) {
  for (const std::string version : {"v1", "v1beta1", ""}) {
    OneNode node;
    node.instead = [&](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
      if (asked.target == "/api/v1") return OneNode::Answer{200, core_resources(version), {}};
      if (asked.method == "POST") return OneNode::Answer{201, R"({"kind":"Status","status":"Success"})", {}};
      if (asked.target.ends_with("/pods/web-1"))
        return OneNode::Answer{
            200, R"({"metadata":{"name":"web-1","uid":"u1"},"spec":{"nodeName":"n1"}})", {}};
      return std::nullopt;
    };
    Status status = node.perform(plan::Evict{WorkloadId("ml/web-1"), plan::Way::requeue});
    EXPECT_EQ(status.ok(), !version.empty()) << version;
    ASSERT_EQ(node.sent("POST").size(), version.empty() ? 0u : 1u);
    if (version.empty()) {
      EXPECT_NE(status.error().reason.find("offers no eviction"), std::string::npos);
    } else {
      EXPECT_NE(node.sent("POST")[0].find(R"("apiVersion":"policy/)" + version + "\""), std::string::npos);
    }
  }
}

TEST(KubeDeeds, APodOfThatNameThatRunsElsewhereByNowIsNotEvicted) {
  OneNode node;
  node.instead = [&](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    if (asked.target == "/api/v1") return OneNode::Answer{200, core_resources("v1"), {}};
    if (asked.target.ends_with("/pods/web-1"))
      return OneNode::Answer{200, R"({"metadata":{"name":"web-1","uid":"u9"},"spec":{"nodeName":"n2"}})", {}};
    return std::nullopt;
  };
  EXPECT_TRUE(node.perform(plan::Evict{WorkloadId("ml/web-1"), plan::Way::requeue}));
  EXPECT_TRUE(node.sent("POST").empty());
}

// The step is tried twenty times for a budget's sake; what no patience changes is said at the next look.
TEST(KubeDeeds, AnEvictionThatIsRefusedForGoodIsNotAskedForAgain) {
  OneNode node;
  std::atomic<int> status = 400;
  node.instead = [&](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    const std::string pod =
        R"({"metadata":{"namespace":"ml","name":"web-1","uid":"u1"},"spec":{"nodeName":"n1"}})";
    if (asked.target == "/api/v1") return OneNode::Answer{200, core_resources("v1"), {}};
    if (asked.method == "POST")
      return OneNode::Answer{status, R"({"kind":"Status","message":"no such kind"})", {}};
    if (asked.target.ends_with("/pods/web-1")) return OneNode::Answer{200, pod, {}};
    if (asked.target.starts_with("/api/v1/pods?"))
      return OneNode::Answer{200, R"({"metadata":{"resourceVersion":"1"},"items":[)" + pod + "]}", {}};
    return std::nullopt;
  };
  const std::string word = words::of(words::kEviction, "ml/web-1");
  auto said = [&] {
    Result<plan::NodeFacts> facts = node.observe();
    EXPECT_TRUE(facts.ok()) << (facts ? "" : to_line(facts.error()));
    return facts ? facts->words.at(word) : "?";
  };
  EXPECT_EQ(said(), "");
  status = 429;
  EXPECT_FALSE(node.perform(plan::Evict{WorkloadId("ml/web-1"), plan::Way::requeue}));
  EXPECT_EQ(said(), "") << "a budget may allow it soon";
  status = 400;
  EXPECT_FALSE(node.perform(plan::Evict{WorkloadId("ml/web-1"), plan::Way::requeue}));
  EXPECT_NE(said().find("no such kind (400)"), std::string::npos);
  node.later(2min);
  EXPECT_EQ(said(), "") << "whoever resumes the run may try again";
}

TEST(KubeDeeds, AnActThatHangsIsGivenUpAtItsDeadline) {
  OneNode node;
  node.instead = [](const test::HttpScript::Asked& asked) -> std::optional<OneNode::Answer> {
    OneNode::Answer silent;
    silent.silent = true;
    return asked.method == "PATCH" ? std::optional(silent) : std::nullopt;
  };
  auto begun = std::chrono::steady_clock::now();
  Status late = node.perform(plan::SetMark{}, "r1", 300ms);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().what, "no answer");
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 25s) << "a request alone has 30 s";
}

TEST(KubeDeeds, ALookBeforeTheClusterIsOpenIsRefused) {
  Worker worker;
  KubernetesActuator actuator(worker, {&test::catalogue(), noon, {}, {}});
  std::promise<bool> told;
  actuator.observe(NodeName("n1"), [&](Result<plan::NodeFacts> facts) { told.set_value(facts.ok()); });
  EXPECT_FALSE(told.get_future().get());
  worker.stop();
}

}  // namespace
}  // namespace tessera::kubernetes
