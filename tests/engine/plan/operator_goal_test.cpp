// Which configuration a node is given: what a label can say, and what a name there stands for.
#include "tests/engine/plan/operator_story.hpp"

namespace tessera::test::operator_story {
namespace {

// Two whole GPUs of one node, and a site that offers more than one way to share them.
constexpr const char* kShared4 =
    "version: v1\nflags:\n  migStrategy: mixed\nsharing:\n  timeSlicing:\n    resources:\n"
    "      - name: nvidia.com/gpu\n        replicas: 4\n";

TEST(OperatorGoal, OneLabelSaysOneVgpuTypeForAllBoards) {
  Kubernetes k;
  k.site.vm_nodes = true;
  plan::Intent intent = everywhere("7x1g.10gb");
  intent.boards.clear();
  for (int gpu : {0, 1}) {
    plan::Wish wish;
    wish.strategy = Strategy::vgpu;
    wish.vgpu = ProfileName(gpu == 0 ? "H100XM-20C" : "H100XM-40C");
    intent.boards.push_back({GpuIndex{gpu}, wish});
  }
  EXPECT_NE(k.refusal(intent).find("one vGPU type for all GPUs"), std::string::npos);
}

// The plugin does not start while its label names nothing: the label is set again, and the plan says why.
TEST(OperatorGoal, ALabelThatNamesNoConfigurationIsSetAgain) {
  Kubernetes k;
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "gone";
  auto lost = [&] {
    const Plan made = k.plan(sharing_everywhere(Strategy::time_slicing, 4));
    return std::any_of(made.notices.begin(), made.notices.end(), [](const plan::Notice& one) {
      return one.rule == "lost-configuration" && one.text.find("gone") != std::string::npos;
    });
  };
  EXPECT_TRUE(lost());
  k.site.labels["n1"]["nvidia.com/device-plugin.config"] = "shared4";
  k.site.plugin_configs["other"] = kShared4;
  const Plan made = k.plan(sharing_everywhere(Strategy::time_slicing, 2));
  EXPECT_TRUE(std::none_of(made.notices.begin(), made.notices.end(),
                           [](const plan::Notice& one) { return one.rule == "lost-configuration"; }));
}

// A way back takes the name that it found only while that name still gives the same sharing.
TEST(OperatorGoal, AWayBackTakesTheRecordedNameOnlyWhileItGivesTheSame) {
  Kubernetes k;
  k.site.plugin_configs["aside"] = kShared4;
  plan::Intent intent = sharing_everywhere(Strategy::time_slicing, 4);
  intent.orders["nvidia.com/device-plugin.config"] = "shared4";
  EXPECT_EQ(argument(step_with(k.steps(intent), "label-node"), "nvidia.com/device-plugin.config"), "shared4");
  k.site.plugin_configs["shared4"] = k.site.plugin_configs["default"];
  EXPECT_EQ(argument(step_with(k.steps(intent), "label-node"), "nvidia.com/device-plugin.config"), "aside");
  intent.orders["nvidia.com/device-plugin.config"] = "gone";
  EXPECT_EQ(argument(step_with(k.steps(intent), "label-node"), "nvidia.com/device-plugin.config"), "aside")
      << "a name that stands for nothing is not ordered";
}

// All but the sharing must be as it is on the node: an entry with other flags would change more.
TEST(OperatorGoal, AnEntryThatDiffersInMoreThanSharingIsNotTaken) {
  Kubernetes k;
  k.site.plugin_configs.erase("shared4");
  std::string more = kShared4;
  more.insert(more.find("sharing:"), "  failOnInitError: false\n");
  k.site.plugin_configs["more"] = more;
  const std::vector<Step> steps = k.steps(sharing_everywhere(Strategy::time_slicing, 4));
  const std::string name = argument(step_with(steps, "label-node"), "nvidia.com/device-plugin.config");
  EXPECT_TRUE(name.starts_with("tessera-")) << name;
  k.site.plugin_configs["same"] = kShared4;
  EXPECT_EQ(argument(step_with(k.steps(sharing_everywhere(Strategy::time_slicing, 4)), "label-node"),
                     "nvidia.com/device-plugin.config"),
            "same");
}

}  // namespace
}  // namespace tessera::test::operator_story
