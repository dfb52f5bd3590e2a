// Plans for nodes that a GPU operator looks after, as stories: what is known, what is wished for, and the
// steps that come of it. Threads: one test at a time.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/operators/labels.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/expect_allowed.hpp"

namespace tessera::test::operator_story {

using plan::Condition;
using plan::Plan;
using plan::Step;

inline constexpr const char* kStaticFile =
    "# the fleet's layouts\nversion: v1\nmig-configs:\n"
    "  all-disabled:\n    - devices: all\n      mig-enabled: false\n"
    "  all-1g.10gb:\n    - devices: all\n      mig-enabled: true\n      mig-devices:\n        \"1g.10gb\": "
    "7\n"
    "  all-balanced:\n    - devices: all\n      mig-enabled: true\n      mig-devices:\n"
    "        \"1g.10gb\": 2\n        \"2g.20gb\": 1\n        \"3g.40gb\": 1\n";

// Two H100 GPUs of n1, whole, under an operator that names instances (mixed).
struct Kubernetes : Story {
  operators::OperatorSetup site;

  Kubernetes() {
    using operators::SitePart;
    for (SitePart part : {SitePart::policy, SitePart::name_space, SitePart::fleet, SitePart::mig_config,
                          SitePart::generated, SitePart::plugin_config, SitePart::budgets})
      site.readings.told(part, operators::Reading::Is::value, at(0));
    for (SitePart part : {SitePart::gpu_cluster, SitePart::devices})
      site.readings.told(part, operators::Reading::Is::absent, at(0));
    site.ns = "gpu-operator";
    site.policy = "cluster-policy";
    site.strategy = "mixed";
    site.node_config["n1"] = operators::mig_file(kStaticFile);
    site.plugin_config_map = "plugin-configs";
    site.plugin_default = "default";
    site.plugin_configs = {
        {"default", "version: v1\nflags:\n  migStrategy: mixed\n"},
        {"shared4",
         "version: v1\nflags:\n  migStrategy: mixed\nsharing:\n  timeSlicing:\n    resources:\n"
         "      - name: nvidia.com/gpu\n        replicas: 4\n"}};
    site.labels["n1"] = {{"nvidia.com/mig.config", "all-disabled"},
                         {"nvidia.com/mig.config.state", "success"},
                         {"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"},
                         {"nvidia.com/gpu.count", "2"}};
    boards({uncut(0, 0), uncut(1, 1)});
  }
  void boards(std::vector<Gpu> all) {
    Node node = test::node("n1", std::move(all));
    ClusterSeen seen;
    seen.scheduler = Scheduler::kubernetes;
    tell(seen);
    tell(NodesListed{{node}});
  }
  plan::Means can() const {
    plan::Means can = plan::gpu_operator_capabilities();
    can.gpu_operator = std::make_shared<operators::OperatorSetup>(site);
    return can;
  }
  Result<Plan> make(const plan::Intent& intent) const {
    return plan::make_plan(cluster(), catalogue(), intent, can(), {}, at(0));
  }
  Plan plan(const plan::Intent& intent) const {
    auto made = make(intent);
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    if (made) {
      EXPECT_EQ(made->no_steps, "");
      expect_allowed(*made);
    }
    return made ? *made : Plan{};
  }
  std::vector<Step> steps(const plan::Intent& intent) const {
    Plan made = plan(intent);
    EXPECT_EQ(made.nodes.size(), 1u);
    return made.nodes.empty() ? std::vector<Step>{} : made.nodes[0].steps;
  }
  std::string refusal(const plan::Intent& intent) const {
    auto made = make(intent);
    EXPECT_FALSE(made.ok());
    return made ? "" : to_line(made.error());
  }
};

inline plan::Intent everywhere(const std::string& layout) { return wants(layout, std::nullopt); }
inline plan::Intent sharing_everywhere(Strategy strategy, int replicas) {
  plan::Intent intent = shares(strategy, replicas);
  intent.boards[0].gpu.reset();
  return intent;
}

inline std::string verb_of(const Step& step) {
  const auto* special = std::get_if<plan::Special>(&step.action);
  return special ? special->verb : std::string(plan::word(step.action));
}
inline std::string verbs_of(const std::vector<Step>& steps) {
  std::string all;
  for (const Step& step : steps) all += (all.empty() ? "" : " ") + verb_of(step);
  return all;
}
inline const Step& step_with(const std::vector<Step>& steps, std::string_view verb) {
  static const Step none;
  auto it = std::find_if(steps.begin(), steps.end(), [&](const Step& one) { return verb_of(one) == verb; });
  EXPECT_NE(it, steps.end()) << verb;
  return it == steps.end() ? none : *it;
}
inline std::string argument(const Step& step, const std::string& key) {
  const auto* special = std::get_if<plan::Special>(&step.action);
  if (!special || !special->arguments.contains(key)) return "(none)";
  return special->arguments.at(key);
}
inline bool has(const plan::Conditions& conditions, const Condition& wanted) {
  return std::find(conditions.begin(), conditions.end(), wanted) != conditions.end();
}
inline std::string commands(const std::vector<Step>& steps) {
  std::string all;
  for (const Step& step : steps)
    for (const std::string& one : step.commands) all += one + "\n";
  return all;
}

}  // namespace tessera::test::operator_story
