// The steps on a node that nvidia-mig-parted cuts, and those that finish what an earlier run has left.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/plan/files/boot_layout.hpp"
#include "engine/plan/files/plan_file.hpp"
#include "engine/plan/permit.hpp"
#include "engine/plan/run/run.hpp"
#include "engine/plan/run/undo.hpp"
#include "engine/plan/steps/slurm_config.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/plan/words/wording.hpp"
#include "tests/engine/plan/slurm_plans.hpp"

namespace tessera::test {
namespace {

using plan::Step;
using slurmconf::Reach;
using slurmconf::Writer;

struct SlurmPartedPlans : SlurmPlans {
  SlurmPartedPlans() { site.mig_tool = slurmconf::MigTool::mig_parted; }
  static std::string config_of(const Step& step) {
    const auto& act = std::get<plan::Special>(step.action);
    EXPECT_EQ(act.arguments.at("config"), plan::kLayoutName);
    return act.arguments.at("text");
  }
  static bool says(const plan::Conditions& conditions, const plan::Condition& wanted) {
    return std::find(conditions.begin(), conditions.end(), wanted) != conditions.end();
  }
};

TEST_F(SlurmPartedPlans, OneStepMakesTheLayoutAndItsReadingBackKnowsNoPlaces) {
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_EQ(order(all),
            "look-only look-only close-node set-mark look-only apply-mig-parted look-only write-config "
            "look-only reconfigure look-only open-node clear-mark");
  const Step& apply = find(all, "apply-mig-parted");
  EXPECT_EQ(config_of(apply),
            "# n1: written by tessera\nversion: v1\nmig-configs:\n  tessera:\n"
            "    - devices: [0]\n      mig-enabled: true\n      mig-devices:\n        \"1g.10gb\": 7\n");
  EXPECT_EQ(all_commands(apply),
            "ssh n1 nvidia-mig-parted apply -f - -c tessera <<'END'\n" + config_of(apply) + "END\n");
  EXPECT_TRUE(says(apply.before, plan::ScopeEmpty{plan::Scope{}}));
  EXPECT_TRUE(says(apply.after, plan::ModeIs{{GpuIndex{0}}, true, false}));
  const auto& layout = std::get<plan::LayoutIs>(apply.after.front());
  EXPECT_FALSE(layout.placed);
  EXPECT_EQ(layout.instances.size(), 7u);
  // By srun it runs inside the reservation, like nvidia-smi.
  site.reach = Reach::srun;
  EXPECT_NE(
      order(steps(wants("7x1g.10gb"))).find("set-mark look-only apply-mig-parted open-to-look close-node"),
      std::string::npos);
  site.reach = Reach::none;
  EXPECT_NE(plan_for(wants("7x1g.10gb")).no_steps.find("cut by nvidia-mig-parted"), std::string::npos);
}

TEST_F(SlurmPartedPlans, ABoardThatDiffersIsClearedAndOneThatDoesNotIsNotNamed) {
  node = test::node("n1", {cut(0, {instance("3g.40gb", 0, 4, 1), instance("1g.10gb", 4, 1, 2)}),
                           cut(1, {instance("1g.10gb", 6, 1, 13)})});
  plan::Intent both = wants("3g.40gb,2x1g.10gb");
  both.boards.push_back({GpuIndex{1}, plan::parse_layout_wish("1g.10gb").value()});
  plan::Plan plan = plan_for(both);
  ASSERT_EQ(plan.nodes.size(), 1u);
  const plan::NodePlan& own = plan.nodes[0];
  EXPECT_EQ(own.destroyed.size(), 2u) << "also what the wish has again";
  EXPECT_EQ(own.created.size(), 3u);
  ASSERT_EQ(own.kept.size(), 1u);
  EXPECT_EQ(own.kept[0].gpu, GpuIndex{1});
  std::string config = config_of(find(own.steps, "apply-mig-parted"));
  EXPECT_NE(config.find("devices: [0]"), std::string::npos) << config;
  EXPECT_EQ(config.find("devices: [1]"), std::string::npos) << config;
  // The same instances elsewhere are nothing that it could make.
  EXPECT_EQ(order(steps(wants("3g.40gb@4,1g.10gb@0"))).find("apply-mig-parted"), std::string::npos);
}

TEST_F(SlurmPartedPlans, AResetForOneBoardMakesTheOthersAgain) {
  node = test::node("n1", {uncut(0, 0, "A100-40GB"), cut(1, {instance("3g.20gb", 4, 4, 2)}, "A100-40GB")});
  plan::Plan plan = plan_for(wants("2x3g.20gb"));
  ASSERT_EQ(plan.nodes.size(), 1u);
  EXPECT_TRUE(plan.nodes[0].needs.reset);
  const Step& apply = find(plan.nodes[0].steps, "apply-mig-parted");
  std::string config = config_of(apply);
  EXPECT_NE(
      config.find("devices: [0]\n      mig-enabled: true\n      mig-devices:\n        \"3g.20gb\": 2\n"),
      std::string::npos)
      << config;
  EXPECT_NE(
      config.find("devices: [1]\n      mig-enabled: true\n      mig-devices:\n        \"3g.20gb\": 1\n"),
      std::string::npos)
      << config;
}

// A run that stopped half-way, carried on by a plan from what stands: the steps that were begun, what files
// and daemons say, and in which order the rest is done.
struct SlurmLeftovers : SlurmPlans {
  std::string onward(bool back, const std::vector<std::string>& begun, const std::string& config,
                     const std::string& gres) {
    plan::RunStarted started;
    started.run = "r1", started.who = "ann", started.from = "ctl",
    started.plan = plan_for(wants("7x1g.10gb"));
    plan::Run run = plan::run_of(started);
    for (const std::string& one : begun) {
      const Step& step = find(started.plan.nodes[0].steps, one);
      EXPECT_TRUE(note(run, {2, at(1), NodeName("n1"), plan::StepBegun{step.id, 1, step.action}}));
    }
    Story story;
    story.tell(NodesListed{{now}});
    std::map<std::string, std::string> words{{std::string(plan::slurm::key::kConfig), config},
                                             {std::string(plan::slurm::key::kGres), gres}};
    const plan::Means means = started.plan.means();
    auto made =
        plan::plan_onward(run, NodeName("n1"), story.cluster(), catalogue(), {}, back, at(2), &means, &words);
    if (!made) return to_line(made.error());
    expect_allowed(*made);
    for (const Step& step : made->nodes[0].steps)
      if (name(step) == "write-config")
        EXPECT_TRUE(expects(step.after, plan::slurm::key::kConfig, back ? kFound : kSevens));
    EXPECT_EQ(made->nodes[0].steps.back().id, "n1/" + std::to_string(made->nodes[0].steps.size()));
    return order(made->nodes[0].steps);
  }
  static constexpr const char* kFound = "gpu:h100:2";
  static constexpr const char* kSevens = "gpu:1g.10gb:7,gpu:h100:1";
  static constexpr const char* kFiles =
      "look-only look-only close-node set-mark look-only write-config look-only reconfigure look-only "
      "open-node clear-mark";
  Node now = node;
};

TEST_F(SlurmLeftovers, FilesThatWereWrittenAreWrittenBackThoughTheBoardsAreAsTheyWere) {
  EXPECT_EQ(onward(true, {"write-config"}, kSevens, kFound), kFiles);
  EXPECT_EQ(onward(true, {"write-config", "reconfigure"}, kFound, kSevens), kFiles);
  EXPECT_EQ(onward(true, {"write-config"}, kFound, kFound), "open-node clear-mark");
  EXPECT_EQ(onward(true, {"set-mode"}, "gpu:h100:2; gres.conf names other devices", kFound),
            "open-node clear-mark");
  // It came no further than waiting: whatever the files say is another user's.
  EXPECT_EQ(onward(true, {"close-node"}, kSevens, kFound), "open-node clear-mark");
}

TEST_F(SlurmLeftovers, BoardsThatAreCutAlreadyAreNotOpenedBeforeSlurmKnows) {
  std::vector<Slice> sevens;
  for (int i = 0; i < 7; ++i) sevens.push_back(instance("1g.10gb", i, 1, i));
  now = test::node("n1", {cut(0, sevens), uncut(1, 1)});
  EXPECT_EQ(onward(false, {"set-mode", "create-instances"}, kFound, kFound), kFiles);
  EXPECT_EQ(onward(false, {"create-instances", "write-config"}, kSevens, kFound), kFiles);
  EXPECT_EQ(onward(false, {"create-instances", "write-config"}, kSevens, kSevens), "open-node clear-mark");
  // It came no further than waiting, and another user has cut them meanwhile.
  EXPECT_EQ(onward(false, {"close-node"}, kFound, kFound), kFiles);
  EXPECT_EQ(onward(false, {"close-node"}, kSevens, kSevens), "open-node clear-mark");
}

TEST_F(SlurmLeftovers, WhatMigPartedHasCutIsNotOpenedBeforeSlurmKnowsEither) {
  site.mig_tool = slurmconf::MigTool::mig_parted;
  std::vector<Slice> sevens;
  for (int i = 0; i < 7; ++i) sevens.push_back(instance("1g.10gb", i, 1, i));
  now = test::node("n1", {cut(0, sevens), uncut(1, 1)});
  EXPECT_EQ(onward(false, {"apply-mig-parted"}, kFound, kFound), kFiles);
  EXPECT_EQ(onward(false, {"apply-mig-parted", "write-config"}, kSevens, kSevens), "open-node clear-mark");
  EXPECT_NE(onward(true, {"apply-mig-parted"}, kFound, kFound).find("apply-mig-parted"), std::string::npos);
}

TEST_F(SlurmLeftovers, ClientsThatWereStoppedAreStartedAgain) {
  site.stop_clients = {"systemctl stop dcgm"};
  site.start_clients = {"systemctl start dcgm"};
  const std::vector<std::string> stopped{"stop-gpu-clients"};
  EXPECT_EQ(onward(true, stopped, kFound, kFound), "set-mark start-gpu-clients open-node clear-mark");
  EXPECT_EQ(onward(true, {"close-node"}, kFound, kFound), "open-node clear-mark");
  EXPECT_EQ(onward(true, {"stop-gpu-clients", "write-config"}, kSevens, kFound),
            "look-only look-only close-node set-mark look-only write-config look-only reconfigure look-only "
            "start-gpu-clients open-node clear-mark");
  // A plan that cuts stops and starts them by itself.
  EXPECT_EQ(onward(false, stopped, kFound, kFound), order(steps(wants("7x1g.10gb"))));
  site.reach = Reach::srun;  // which reaches no drained node
  EXPECT_EQ(onward(true, stopped, kFound, kFound), "set-mark open-node start-gpu-clients clear-mark");
}

// The node has rebooted and stands as it was found, yet its next boot would cut it.
TEST_F(SlurmLeftovers, ALayoutForTheNextBootIsTakenBack) {
  site.boot_file = "/etc/mig.yaml";
  EXPECT_EQ(onward(true, {"write-boot-file"}, kFound, kFound),
            "set-mark write-boot-file open-node clear-mark");
  site.boot_unit = "mig.service";
  EXPECT_EQ(onward(true, {"boot-unit"}, kFound, kFound), "set-mark boot-unit open-node clear-mark");
  site.boot_file.clear();
  EXPECT_EQ(onward(true, {"close-node"}, kFound, kFound), "open-node clear-mark");
}

}  // namespace
}  // namespace tessera::test
