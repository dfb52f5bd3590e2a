// The labels by which a node is driven are part of what a plan rests on.
#include "engine/plan/effect/moved.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::operator_story {
namespace {

TEST(StandingOrders, AStepThatSetsALabelAsksForTheOrderThatStoodWhenItWasPlanned) {
  Kubernetes k;
  const std::string key = "nvidia.com/device-plugin.config";
  auto before = [&] {
    return step_with(k.steps(sharing_everywhere(Strategy::time_slicing, 4)), "label-node").before;
  };
  EXPECT_TRUE(has(before(), plan::WordIs{key, "", false}));
  k.site.labels["n1"][key] = "default";
  const Condition asked = plan::WordIs{key, "default", false};
  EXPECT_TRUE(has(before(), asked));
  EXPECT_FALSE(plan::may_pass(asked)) << "it does not come back by waiting";
}

TEST(StandingOrders, OneThatWasGivenSinceIsToldBeforeThePlanBegins) {
  Kubernetes k;
  auto told = [&](const std::string& order) {
    Node node = test::node("n1", {uncut(0, 0), uncut(1, 1)});
    node.features = {"nvidia.com/gpu.count=2"};
    if (!order.empty()) node.features.push_back("nvidia.com/mig.config=" + order);
    k.tell(NodesListed{{node}});
  };
  told("all-disabled");
  const Plan made = k.plan(everywhere("7x1g.10gb"));
  EXPECT_TRUE(plan::what_moved(made, k.cluster()).empty());
  told("all-balanced");
  auto moved = plan::what_moved(made, k.cluster());
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].text, "now: label nvidia.com/mig.config is all-balanced, and was all-disabled");
  EXPECT_FALSE(plan::may_apply(moved));
  told("");
  moved = plan::what_moved(made, k.cluster());
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].text, "now: label nvidia.com/mig.config is not set, and was all-disabled");
}

}  // namespace
}  // namespace tessera::test::operator_story
