// A plan that can only be looked at is not one that changes nothing.
#include <gtest/gtest.h>

#include <algorithm>

#include "tui/cli/change/plan_text.hpp"
#include "tui/cli/change/planning.hpp"
#include "tui/cli/command_table.hpp"

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

TEST(PlanText, APlanThatCanOnlyBeReviewedSaysSoFirstAndIsAFinding) {
  plan::Plan plan;
  plan.id = "p-1";
  EXPECT_EQ(code_of(plan), kDone);
  plan.no_steps = "GKE fixes them";
  const std::string text = preview(plan);
  const std::size_t said = text.find("This plan can only be reviewed:\nGKE fixes them.");
  ASSERT_NE(said, std::string::npos) << text;
  EXPECT_EQ(text.find('\n') + 1, said) << "below the plan's name";
  EXPECT_EQ(code_of(plan), kFinding);
  plan.no_steps.clear();
  plan.violations.resize(1);
  EXPECT_EQ(code_of(plan), kFinding);
}

// It said that 14 slices would be offered, and who would start, below the reason why nothing is made.
TEST(PlanText, BelowARefusalNothingIsOfferedAndNoWorkloadStarts) {
  plan::Plan plan;
  plan.scheduler = Scheduler::kubernetes;
  plan.offered_before.kubernetes = {{"nvidia.com/gpu", 2}};
  plan.offered_after.kubernetes = {{"nvidia.com/mig-1g.10gb", 14}};
  plan.will_run_count = 3, plan.never_again_count = 2;
  for (const char* why : {"", "GKE fixes them"}) {
    plan.no_steps = why;
    const std::string text = preview(plan);
    for (const char* words : {"RESOURCES", "will be able to start", "would never start"})
      EXPECT_EQ(text.find(words) == std::string::npos, *why != 0) << words << "\n" << text;
  }
}

// "kubectl delete pod --all-namespaces" whose end with the node's name is cut off is about every node.
TEST(PlanText, ACommandIsNeverCutOff) {
  const auto in_one_line = [](std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
  };
  std::string by_hand;
  for (int gpu = 0; gpu < 2000; ++gpu) by_hand += "nvidia-smi mig -i " + std::to_string(gpu) + " -dgi && ";
  by_hand +=
      "kubectl delete pod --all-namespaces --field-selector spec.nodeName=d2; then kubectl uncordon d2";
  plan::Plan plan;
  plan.no_steps = by_hand;
  EXPECT_NE(in_one_line(preview(plan)).find(by_hand + "."), std::string::npos);
  plan.no_steps.clear();
  plan.violations.emplace_back().text = by_hand;
  plan.notices.emplace_back().text = by_hand;
  plan::NodePlan node;
  node.node = NodeName("d2");
  node.steps.emplace_back().commands = {by_hand};
  plan.nodes = {node};
  const std::string text = preview(plan);
  EXPECT_NE(text.find("$ " + by_hand + "\n"), std::string::npos);
  const std::string line = in_one_line(text);
  std::size_t times = 0;
  for (std::size_t at = line.find("spec.nodeName=d2; then kubectl uncordon d2"); at != std::string::npos;
       at = line.find("spec.nodeName=d2; then kubectl uncordon d2", at + 1))
    ++times;
  EXPECT_GE(times, 3u) << "a violation, a notice and a step";
}

}  // namespace
}  // namespace tessera::cli
