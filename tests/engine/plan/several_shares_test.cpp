// A share is a share: a pod that asks for several is counted as the platform counts it.
#include "engine/guide/proposals/proposals.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera {
namespace {

using namespace test;
using namespace test::operator_story;

struct Waiting : Kubernetes {
  explicit Waiting(std::int64_t count, std::int64_t largest = 0) {
    Node node = test::node("n1", {uncut(0, 0), uncut(1, 1)});
    node.allocatable = {{"nvidia.com/gpu", 2}};
    tell(NodesListed{{node}});
    Workload pod = waiting("ml/tune-70b", "ann", "nvidia.com/gpu");
    pod.requests = {{"nvidia.com/gpu", count, largest}};
    pod.reason = "0/1 nodes are available: 1 Insufficient nvidia.com/gpu";
    tell(WorkloadsListed{{pod}});
  }
  std::string warned(const Plan& plan) const {
    for (const plan::Notice& one : plan.notices)
      if (one.rule == "several-shares") return one.text;
    return "";
  }
};

TEST(SeveralShares, AreHeldAndGiveNoMoreThanOne) {
  Waiting k(4);
  const Plan made = k.plan(sharing_everywhere(Strategy::time_slicing, 4));
  ASSERT_EQ(made.will_run_count, 1);
  EXPECT_EQ(made.will_run[0].remark,
            "asks for 4 nvidia.com/gpu, which are shares here: it gets no more than one share's worth");
  EXPECT_EQ(k.warned(made), "");
}

TEST(SeveralShares, AreRefusedWhereThePluginRefusesThem) {
  Waiting k(4);
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 4);
  intent.switches.refuse_several = true;
  const Plan made = k.plan(intent);
  EXPECT_EQ(made.will_run_count, 0);
  EXPECT_NE(k.warned(made).find("ml/tune-70b asks for 4 nvidia.com/gpu"), std::string::npos)
      << k.warned(made);
  const Plan mps = k.plan(sharing_everywhere(Strategy::mps, 4));
  EXPECT_EQ(mps.will_run_count, 0) << "MPS refuses by default";
}

// The scheduler adds the containers of a pod up, the plugin is asked for each of them.
TEST(SeveralShares, OfAPodWithSeveralContainersTheLargestRequestCounts) {
  Waiting k(4, 1);
  const Plan made = k.plan(sharing_everywhere(Strategy::mps, 4));
  ASSERT_EQ(made.will_run_count, 1);
  EXPECT_EQ(made.will_run[0].remark, "");
}

TEST(SeveralShares, WholeGpusAndInstancesAreEachTheirOwn) {
  Waiting k(2);
  k.boards({uncut(0, 0), uncut(1, 1), uncut(2, 2), uncut(3, 3)});
  const Plan made = k.plan(everywhere("none"));
  for (const plan::PendingEffect& one : made.will_run) EXPECT_EQ(one.remark, "");
}

TEST(SeveralShares, TheGuideCountsAsThePlanDoes) {
  Waiting k(4);
  guide::Scope scope = guide::scope_of(k.cluster(), k.node("n1"), catalogue());
  scope.can = k.can();
  for (const guide::Proposal& one :
       guide::propose_shares(scope, Strategy::time_slicing, sharing::Platform::gpu_operator))
    EXPECT_EQ(one.fit.size(), *one.replicas >= 4 ? 1u : 0u) << one.title;
  for (const guide::Proposal& one :
       guide::propose_shares(scope, Strategy::mps, sharing::Platform::gpu_operator))
    EXPECT_TRUE(one.fit.empty()) << one.title;
}

}  // namespace
}  // namespace tessera
