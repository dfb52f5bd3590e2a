// A node that is to offer nothing of its GPUs: the order that takes its device plugin away, and the ways
// back.
#include <gtest/gtest.h>

#include "engine/plan/effect/moved.hpp"
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test {
namespace nothing_offered_test {

using namespace operator_story;

constexpr const char* kDeploy = "nvidia.com/gpu.deploy.device-plugin";

plan::Intent nothing() {
  plan::Intent intent = everywhere("none");
  intent.words = "none";
  intent.orders = plan::nothing_offered();
  return intent;
}

struct Labelled : Kubernetes {
  explicit Labelled(const char* deploy) {
    Node one = test::node("n1", {uncut(0, 0), uncut(1, 1)});
    one.features = {std::string(kDeploy) + "=" + deploy, "nvidia.com/gpu.count=2",
                    "nvidia.com/mig.config=all-disabled", "nvidia.com/mig.config.state=success"};
    one.allocatable = plan::Counts{{"nvidia.com/gpu", std::string(deploy) == "false" ? 0 : 2}};
    site.labels["n1"][kDeploy] = deploy;
    tell(NodesListed{{one}});
  }
};

std::string notice(const Plan& made, const std::string& rule) {
  for (const plan::Notice& one : made.notices)
    if (one.rule == rule) return one.text;
  return "";
}

TEST(NothingOffered, TheDevicePluginIsTakenAwayAndZeroIsReadBack) {
  Labelled k("true");
  const Plan made = k.plan(nothing());
  ASSERT_EQ(made.nodes.size(), 1u);
  const plan::NodePlan& node = made.nodes[0];
  EXPECT_EQ(node.offered_before.kubernetes, (plan::Counts{{"nvidia.com/gpu", 2}}));
  EXPECT_EQ(node.offered_after.kubernetes, (plan::Counts{{"nvidia.com/gpu", 0}}));
  EXPECT_FALSE(node.ordered_before.contains(kDeploy));
  EXPECT_EQ(node.ordered_after.at(kDeploy), "false");
  const Step& label = step_with(node.steps, plan::verbs::kLabelNode);
  EXPECT_EQ(argument(label, kDeploy), "false");
  EXPECT_EQ(label.title, "take the device plugin away");
  EXPECT_NE(commands(node.steps).find("nvidia.com/gpu.deploy.device-plugin=false"), std::string::npos);
  bool read_back = false;
  for (const Step& step : node.steps)
    read_back = read_back || has(step.after, plan::Advertises{{{"nvidia.com/gpu", 0}}});
  EXPECT_TRUE(read_back) << "0 GPUs are read back";
  EXPECT_NE(notice(made, "offers-nothing").find("0 GPUs until the admin deploys"), std::string::npos);
}

TEST(NothingOffered, OnceItIsSoThereIsNothingToDo) {
  Labelled k("false");
  EXPECT_TRUE(k.plan(nothing()).nodes[0].steps.empty());
}

TEST(NothingOffered, AnyOtherLayoutBringsThePluginBack) {
  Labelled k("false");
  for (const char* layout : {"none", "7x1g.10gb"}) {
    const Plan made = k.plan(everywhere(layout));
    const plan::NodePlan& node = made.nodes[0];
    std::string last;
    for (const Step& step : node.steps)
      if (argument(step, kDeploy) != "(none)") last = argument(step, kDeploy);
    EXPECT_EQ(last, "true") << layout;
    EXPECT_EQ(node.ordered_before.at(kDeploy), "false");
    EXPECT_FALSE(node.ordered_after.contains(kDeploy));
    EXPECT_NE(notice(made, "plugin-back"), "") << "who took it away should know";
  }
  EXPECT_EQ(k.plan(everywhere("none")).nodes[0].offered_after.kubernetes,
            (plan::Counts{{"nvidia.com/gpu", 2}}));
}

TEST(NothingOffered, TheWayBackLeadsWhereItCameFrom) {
  Labelled offers("true");
  const Plan away = offers.plan(nothing());
  EXPECT_FALSE(plan::offers_nothing(plan::undo_intent(away, away.nodes[0], "undo").orders));
  Labelled bare("false");
  const Plan back = bare.plan(everywhere("none"));
  EXPECT_TRUE(plan::offers_nothing(plan::undo_intent(back, back.nodes[0], "undo").orders));
}

TEST(NothingOffered, AManagersPauseIsNoOrder) {
  Labelled k("paused-for-mig-change");
  EXPECT_TRUE(k.plan(everywhere("none")).nodes[0].steps.empty());
}

TEST(NothingOffered, AnOrderGivenSinceIsSeenAsMoved) {
  const Labelled before("true"), since("false");
  const Plan made = before.plan(everywhere("7x1g.10gb"));
  bool told = false;
  for (const plan::Moved& one : plan::what_moved(made, since.cluster()))
    told = told || one.text.find("no device plugin runs there") != std::string::npos;
  EXPECT_TRUE(told);
  for (const plan::Moved& one : plan::what_moved(made, before.cluster()))
    EXPECT_EQ(one.text.find("no device plugin"), std::string::npos) << one.text;
}

// A plan file that was edited.
TEST(NothingOffered, APlanTakesThePluginAwayOnlyWhereThatIsWished) {
  Labelled k("true");
  Plan made = k.plan(nothing());
  made.intent.orders.clear();
  EXPECT_TRUE(plan::why_not_allowed(made.nodes[0], made.intent, made.means()));
  Plan other = k.plan(everywhere("7x1g.10gb"));
  Plan taken = k.plan(nothing());
  for (Step& step : other.nodes[0].steps)
    if (verb_of(step) == plan::verbs::kOrderMig)
      step = step_with(taken.nodes[0].steps, plan::verbs::kLabelNode);
  EXPECT_TRUE(plan::why_not_allowed(other.nodes[0], other.intent, other.means()));
}

TEST(NothingOffered, WhereNoOperatorTakesTheOrderItIsRefused) {
  Labelled k("true");
  auto made = plan::make_plan(k.cluster(), catalogue(), nothing(),
                              plan::simulator_capabilities(Scheduler::kubernetes), {}, at(0));
  ASSERT_FALSE(made);
  EXPECT_NE(to_line(made.error()).find("no device plugin that could be taken from a node"), std::string::npos)
      << to_line(made.error());
}

}  // namespace nothing_offered_test
}  // namespace tessera::test
