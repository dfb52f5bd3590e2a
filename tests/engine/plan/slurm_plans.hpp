// Plans of one Slurm node of two GPUs, with a neighbour in the same lines of the files: n1 and n2.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "tests/engine/plan/boards.hpp"
#include "tests/engine/plan/expect_allowed.hpp"

namespace tessera::test {

inline constexpr const char* kSlurmConf =
    "ClusterName=hpc\nGresTypes=gpu\n"
    "NodeName=n[1-2] CPUs=64 Gres=gpu:h100:2 State=UNKNOWN\nPartitionName=all Nodes=n[1-2]\n";
inline constexpr const char* kGresConf = "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia[0-1]\n";

struct SlurmPlans : testing::Test {
  slurmconf::SlurmSetup site;
  Node node = test::node("n1", {uncut(0, 0), uncut(1, 1)});
  std::vector<Workload> jobs;

  SlurmPlans() {
    site.major = 24, site.minor = 11;
    site.files = {{"/etc/slurm/slurm.conf", kSlurmConf}, {"/etc/slurm/gres.conf", kGresConf}};
    site.reach = slurmconf::Reach::ssh;
    site.gpu_file = "/dev/nvidia{gpu}";
    site.instance_file = "/dev/gi{gpu}-{gi}";
  }
  plan::Plan plan_for(const plan::Intent& intent, bool with_site = true) {
    Story story;
    story.tell(NodesListed{{node, test::node("n2", {uncut(0, 0), uncut(1, 1)})}});
    story.tell(WorkloadsListed{jobs});
    plan::Means can = plan::slurm::capabilities_by(site.mig_tool);
    if (with_site) can.slurm = std::make_shared<const slurmconf::SlurmSetup>(site);
    auto made = plan::make_plan(story.cluster(), catalogue(), intent, can, {}, at(0));
    EXPECT_TRUE(made.ok()) << (made ? "" : to_line(made.error()));
    if (made) expect_allowed(*made);
    return made.ok() ? *made : plan::Plan{};
  }
  std::vector<plan::Step> steps(const plan::Intent& intent) {
    plan::Plan plan = plan_for(intent);
    EXPECT_EQ(plan.no_steps, "");
    return plan.nodes.empty() ? std::vector<plan::Step>{} : plan.nodes[0].steps;
  }
  static std::string name(const plan::Step& step) {
    if (const auto* own = std::get_if<plan::Special>(&step.action)) return own->verb;
    return std::string(word(step.action));
  }
  static std::string order(const std::vector<plan::Step>& steps) {
    std::string text;
    for (const plan::Step& step : steps) text += (text.empty() ? "" : " ") + name(step);
    return text;
  }
  static const plan::Step& find(const std::vector<plan::Step>& steps, const std::string& wanted) {
    auto it = std::find_if(steps.begin(), steps.end(),
                           [&](const plan::Step& step) { return name(step) == wanted; });
    EXPECT_NE(it, steps.end()) << wanted;
    static const plan::Step none;
    return it == steps.end() ? none : *it;
  }
  static bool expects(const plan::Conditions& conditions, std::string_view key, const std::string& value) {
    return std::find(conditions.begin(), conditions.end(),
                     plan::Condition(plan::WordIs{std::string(key), value})) != conditions.end();
  }
  static std::string all_commands(const plan::Step& step) {
    std::string text;
    for (const std::string& line : step.commands) text += line + "\n";
    return text;
  }
};

}  // namespace tessera::test
