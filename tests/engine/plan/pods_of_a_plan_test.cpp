// What a plan says of pods that its platform will refuse once it is applied.
#include <gtest/gtest.h>

#include "engine/plan/planner.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera {
namespace {

struct PodsOfAPlan : testing::Test {
  test::Story story;
  plan::SiteRules rules;
  std::vector<Workload> pods;
  std::vector<std::string> features;
  std::string version = "kubernetes v1.32.2";

  void add(const std::string& id, std::int64_t count) {
    Workload one = test::running(id, "alice", {test::holds("n1", {{0, 1}})});
    one.kind = WorkloadKind::pod, one.requests = {{"nvidia.com/gpu", count}};
    one.pod = PodUse{"main", 0, false};
    pods.push_back(std::move(one));
  }
  plan::Plan planned(sharing::Platform platform, Strategy strategy) {
    ClusterSeen seen;
    seen.scheduler = Scheduler::kubernetes, seen.version = version;
    story.tell(seen);
    Node node = test::node("n1", {test::gpu(0, Strategy::whole, {test::whole(0)})});
    node.features = features;
    story.tell(NodesListed{{node}});
    story.tell(WorkloadsListed{pods});
    story.tell(Loaded{});
    rules.platform = platform;
    plan::Intent intent;
    intent.cluster = story.cluster().name, intent.nodes = {NodeName("n1")};
    plan::Wish wish;
    wish.strategy = strategy, wish.replicas = 4;
    intent.boards = {{std::nullopt, wish}};
    auto made = plan::make_plan(story.cluster(), test::catalogue(), intent,
                                plan::simulator_capabilities(Scheduler::kubernetes), rules, test::at(0));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    return made ? *made : plan::Plan();
  }
  static std::vector<std::string> about_pods(const plan::Plan& plan) {
    std::vector<std::string> all;
    for (const plan::Notice& one : plan.notices)
      if (one.text.find("once this is applied") != std::string::npos || one.rule == "more-pods")
        all.push_back(one.text);
    return all;
  }
};
using Lines = std::vector<std::string>;

TEST_F(PodsOfAPlan, APodThatTheRuleOfSharingRefusesIsNamed) {
  add("a/one", 1);
  EXPECT_EQ(about_pods(planned(sharing::Platform::fpt, Strategy::mps)),
            Lines{"a/one: pod a/one must set hostIPC: true to reach the MPS daemon, once this is applied"});
  add("a/two", 2);
  EXPECT_EQ(about_pods(planned(sharing::Platform::gpu_operator, Strategy::time_slicing)),
            Lines{"a/two: container main asks for 2 of nvidia.com/gpu; these are shares by time-slicing, and "
                  "more than 1 gives it nothing more, once this is applied"});
}

TEST_F(PodsOfAPlan, ManyAreCounted) {
  for (int i = 1; i <= 8; ++i) add("a/p" + std::to_string(i), 1);
  const Lines lines = about_pods(planned(sharing::Platform::fpt, Strategy::mps));
  ASSERT_EQ(lines.size(), 6u);
  EXPECT_EQ(lines.back(), "3 more pods on these nodes ask for what the platform refuses then");
}

TEST_F(PodsOfAPlan, NothingIsSaidWherePodsFit) {
  add("a/one", 1);
  EXPECT_TRUE(about_pods(planned(sharing::Platform::gpu_operator, Strategy::mps)).empty());
}

// What ACK's sharing needs is asked of the cluster as it is reported; what is not reported refuses nothing.
TEST_F(PodsOfAPlan, AClusterThatIsTooOldForAcksSharingIsRefused) {
  const auto refused = [&](const std::string& told) {
    version = told;
    std::string rules_broken;
    for (const plan::Notice& one : planned(sharing::Platform::ack, Strategy::mps).violations)
      rules_broken += one.rule + " ";
    return rules_broken;
  };
  features = {"alibabacloud.com/nodepool-id=np-7"};
  EXPECT_EQ(refused("kubernetes v1.18.8"), "ack-version ");
  EXPECT_EQ(refused("kubernetes v1.28.3, sharing component 1.9.9"), "ack-component ");
  EXPECT_EQ(refused("kubernetes v1.28.3, sharing component 1.9.13"), "");
  EXPECT_EQ(refused("kubernetes v1.28.3"), "");
}

}  // namespace
}  // namespace tessera
