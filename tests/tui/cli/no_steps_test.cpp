// A plan that can only be looked at is not one that changes nothing.
#include <gtest/gtest.h>

#include "tui/cli/change/plan_text.hpp"

namespace tessera::cli {
namespace {

TEST(PlanText, WithoutStepsItSaysWhetherNothingIsToDoOrNothingCanBeDone) {
  plan::Plan plan;
  plan::NodePlan node;
  node.node = NodeName("gke-1");
  node.needs.mode_change = true;
  plan.nodes = {node};
  const std::string so_already = "nothing: already in that state";
  EXPECT_NE(preview(plan).find(so_already), std::string::npos) << preview(plan);
  plan.no_steps = "GKE fixes the GPUs of its nodes with the pool";
  const std::string text = preview(plan);
  EXPECT_EQ(text.find(so_already), std::string::npos) << text;
  EXPECT_NE(text.find(plan.no_steps + "."), std::string::npos) << text;
}

}  // namespace
}  // namespace tessera::cli
