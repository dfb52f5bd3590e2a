// The steps that a Slurm node's change is made of: their order, what each relies on, what is never guessed.
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

// They would be passed over in silence: Slurm knows no such thing.
TEST_F(SlurmPlans, TheSwitchesOfKubernetesDevicePluginAreRefused) {
  for (std::optional<bool> plan::WishedSwitches::*one :
       {&plan::WishedSwitches::rename_shared, &plan::WishedSwitches::refuse_several}) {
    Story story;
    story.tell(NodesListed{{node}});
    plan::Intent intent = wants("7x1g.10gb");
    intent.switches.*one = true;
    auto made = plan::make_plan(story.cluster(), catalogue(), intent,
                                plan::slurm::capabilities_by(site.mig_tool), {}, at(0));
    ASSERT_FALSE(made);
    EXPECT_NE(made.error().hint.find("leave --rename-shared"), std::string::npos) << to_line(made.error());
  }
}

TEST_F(SlurmPlans, ANodeIsDrainedCutWrittenReconfiguredAndOpened) {
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_EQ(order(all),
            "look-only look-only close-node set-mark look-only set-mode create-instances look-only "
            "write-config look-only reconfigure look-only open-node clear-mark");
  EXPECT_EQ(all.front().id, "n1/1");
  const Step& write = find(all, "write-config");
  EXPECT_TRUE(expects(write.after, plan::slurm::key::kConfig, "gpu:1g.10gb:7,gpu:h100:1"));
  std::string diff = all_commands(write);
  EXPECT_NE(diff.find("-NodeName=n[1-2] CPUs=64 Gres=gpu:h100:2"), std::string::npos) << diff;
  EXPECT_NE(diff.find("Gres=gpu:1g.10gb:7,gpu:h100:1"), std::string::npos) << diff;
  EXPECT_NE(all_commands(find(all, "create-instances")).find("ssh n1 nvidia-smi mig"), std::string::npos);
  // Right before it, and relied upon by it: nothing but this node may change.
  EXPECT_TRUE(expects(find(all, "reconfigure").before, plan::slurm::key::kElsewhere, ""));
  EXPECT_TRUE(expects(find(all, "open-node").before, plan::slurm::key::kGres, "gpu:1g.10gb:7,gpu:h100:1"));
  EXPECT_TRUE(expects(find(all, "open-node").before, plan::slurm::key::kRegistered, "yes"));
}

// Found out at the last step, it would leave a node cut and drained.
TEST_F(SlurmPlans, WhatTheLastStepsNeedIsAskedBeforeTheFirstTouchesAnything) {
  const std::vector<Step> all = steps(wants("7x1g.10gb"));
  for (std::string_view key : {plan::slurm::key::kController, plan::slurm::key::kAdmin,
                               plan::slurm::key::kWritable, plan::slurm::key::kReachable})
    EXPECT_TRUE(expects(all[0].after, key, "")) << key;
  const Step& reconfigure = find(all, "reconfigure");
  EXPECT_TRUE(expects(reconfigure.before, plan::slurm::key::kConfig, "gpu:1g.10gb:7,gpu:h100:1"))
      << "another may have written the files since";
  const Step& open = find(all, "open-node");
  EXPECT_NE(std::find(open.before.begin(), open.before.end(), plan::Condition(plan::NoForeignMark{})),
            open.before.end());
}

TEST_F(SlurmPlans, FilesAreNotWrittenForBoardsThatAreNotAsPlanned) {
  auto wanted = plan::slurm::wanted_config(node, "gpu:h100:1", &h100(), site);
  ASSERT_FALSE(wanted.ok());
  EXPECT_NE(wanted.error().reason.find("the GPUs of n1 come to gpu:h100:2, not to gpu:h100:1"),
            std::string::npos)
      << wanted.error().reason;
  EXPECT_TRUE(plan::slurm::wanted_config(node, "gpu:h100:2", &h100(), site).ok());
}

TEST_F(SlurmPlans, TheFileOfAllowedDevicesIsWrittenInTheSameStepWhereSlurmReadsIt) {
  site.files.push_back({"/etc/slurm/cgroup_allowed_devices_file.conf", "/dev/null\n/dev/nvidia*\n"});
  auto diff = [this] { return all_commands(find(steps(wants("7x1g.10gb")), "write-config")); };
  EXPECT_EQ(diff().find("allowed_devices"), std::string::npos);
  site.major = 21, site.minor = 8;
  EXPECT_NE(diff().find("+++ /etc/slurm/cgroup_allowed_devices_file.conf\n@@ -1,2 +1,9 @@\n /dev/null\n "
                        "/dev/nvidia*\n+/dev/gi0-"),
            std::string::npos)
      << diff();
}

TEST_F(SlurmPlans, NothingIsTouchedWhileWorkIsThere) {
  jobs = {running("7", "alice", {holds("n1", {{1, 1}})})};
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  for (const char* step : {"set-mode", "create-instances", "write-config", "reconfigure"}) {
    const plan::Conditions& before = find(all, step).before;
    EXPECT_TRUE(std::any_of(before.begin(), before.end(), [](const plan::Condition& one) {
      const auto* empty = std::get_if<plan::ScopeEmpty>(&one);
      return empty && empty->scope.boards.empty();  // the whole node
    })) << step;
  }
  EXPECT_NE(order(all).find("set-mark look-only set-mode"), std::string::npos);  // waits, ends no job
  plan::Intent cancel = wants("7x1g.10gb");
  cancel.options.way = plan::Way::cancel;
  EXPECT_NE(order(steps(cancel)).find("set-mark evict look-only"), std::string::npos);
}

TEST_F(SlurmPlans, SharingNeedsNoWayToTheNode) {
  site.reach = Reach::none;
  EXPECT_NE(plan_for(shares(Strategy::mps, 100)).no_steps, "") << "one board of two";
  plan::Intent both = shares(Strategy::mps, 100);
  both.boards[0].gpu.reset();
  std::vector<Step> all = steps(both);
  EXPECT_EQ(order(all),
            "look-only look-only close-node set-mark look-only write-config look-only reconfigure look-only "
            "open-node clear-mark");
  EXPECT_TRUE(expects(find(all, "write-config").after, plan::slurm::key::kConfig, "gpu:h100:2,mps:200"));
  EXPECT_NE(all_commands(find(all, "write-config")).find("+GresTypes=gpu,mps"), std::string::npos);
}

TEST_F(SlurmPlans, CuttingWithoutAWayThereSaysWhatToSet) {
  site.reach = Reach::none;
  plan::Plan plan = plan_for(wants("7x1g.10gb"));
  EXPECT_NE(plan.no_steps.find("--slurm-runner"), std::string::npos) << plan.no_steps;
  EXPECT_FALSE(plan.changes_anything());
  EXPECT_NE(plan_for(wants("7x1g.10gb"), false).no_steps.find("--slurm-conf"), std::string::npos);
}

TEST_F(SlurmPlans, BeforeTwentyThreeElevenDaemonsAreRestartedAsTheSiteSays) {
  site.major = 22, site.minor = 5;
  std::vector<Step> asked = steps(wants("7x1g.10gb"));
  EXPECT_NE(order(asked).find("reconfigure look-only look-only open-node"), std::string::npos)
      << order(asked);
  const Step& by_hand = *(
      std::find_if(asked.begin(), asked.end(), [](const Step& step) { return name(step) == "reconfigure"; }) +
      1);
  EXPECT_NE(all_commands(by_hand).find("on n1: restart slurmd"), std::string::npos);
  site.restart_controller = {"ssh", "ctl", "systemctl", "restart", "slurmctld"};
  site.restart_node = {"ssh", "{node}", "systemctl", "restart", "slurmd"};
  std::vector<Step> own = steps(wants("7x1g.10gb"));
  EXPECT_NE(order(own).find("reconfigure restart-controller restart-node look-only open-node"),
            std::string::npos)
      << order(own);
  EXPECT_EQ(find(own, "restart-node").commands, std::vector<std::string>{"ssh n1 systemctl restart slurmd"});
}

TEST_F(SlurmPlans, BySrunTheNodeIsReservedCutAndOnlyThenDrained) {
  site.reach = Reach::srun;
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_EQ(order(all),
            "look-only look-only set-mark look-only set-mode create-instances open-to-look close-node "
            "write-config look-only reconfigure look-only open-node clear-mark");
  // GPUs that are not known any more lead back to where they can be asked.
  auto needs_boards = [](const Step& step) {
    return std::any_of(step.before.begin(), step.before.end(), [](const plan::Condition& one) {
      return std::holds_alternative<plan::LayoutIs>(one);
    });
  };
  EXPECT_TRUE(needs_boards(find(all, "write-config")));
  EXPECT_FALSE(needs_boards(find(all, "open-to-look")));
  EXPECT_EQ(find(all, "open-to-look").after, (plan::Conditions{find(all, "write-config").before.back()}));
  // The site's clients are started by srun, too: before the drain.
  site.start_clients = {"systemctl start dcgm"};
  EXPECT_NE(order(steps(wants("7x1g.10gb"))).find("open-to-look start-gpu-clients close-node"),
            std::string::npos);
}

TEST_F(SlurmPlans, FilesOnAnotherHostNeedAWayThere) {
  site.writer = Writer::host;
  site.config_host = "cfg";
  EXPECT_NE(find(steps(wants("7x1g.10gb")), "write-config").undo.find("(on cfg)"), std::string::npos);
  for (Reach none : {Reach::none, Reach::srun}) {
    site.reach = none;
    EXPECT_NE(plan_for(wants("7x1g.10gb")).no_steps.find("are on cfg"), std::string::npos);
  }
}

TEST_F(SlurmPlans, CoresAreNotLostUnnoticed) {
  site.files[1].text =
      "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia0 Cores=0-31\n"
      "NodeName=n[1-2] Name=gpu Type=h100 File=/dev/nvidia1 Cores=32-63\n";
  std::string diff = all_commands(find(steps(wants("7x1g.10gb")), "write-config"));
  EXPECT_NE(diff.find("Type=1g.10gb File=/dev/gi0-[7-13] Cores=0-31"), std::string::npos) << diff;
  EXPECT_NE(diff.find("Type=h100 File=/dev/nvidia1 Cores=32-63"), std::string::npos) << diff;
  site.instance_file = "/dev/gi{index}";
  EXPECT_NE(plan_for(wants("7x1g.10gb")).no_steps.find("Cores="), std::string::npos);
}

TEST_F(SlurmPlans, AnAutomationThatWritesTheFilesIsWaitedFor) {
  site.writer = Writer::site;
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_EQ(order(all).find("write-config"), std::string::npos);
  EXPECT_EQ(order(all).find("reconfigure"), std::string::npos);
  bool shown = std::any_of(all.begin(), all.end(), [](const Step& step) {
    return step.deadline == Duration{0} && all_commands(step).find("@@") != std::string::npos;
  });
  EXPECT_TRUE(shown);
}

// Whoever follows the run reads it from its journal: the patch is there as it was planned, and cannot be made
// one of another file.
TEST_F(SlurmPlans, ThePatchThatASiteIsToApplyIsReadFromTheJournalAndIsOneOfSlurmsFiles) {
  site.writer = Writer::site;
  auto read = plan::parse_plan(plan::to_document(plan_for(wants("7x1g.10gb"))), "plan.json");
  ASSERT_TRUE(read) << to_line(read.error());
  plan::Plan& planned = *read;
  planned.setup.slurm = std::make_shared<const slurmconf::SlurmSetup>(site);  // a file does not keep them
  plan::NodePlan& node = planned.nodes.at(0);
  auto step = std::find_if(node.steps.begin(), node.steps.end(), [](const Step& one) {
    const auto* look = std::get_if<plan::LookOnly>(&one.action);
    return look && !look->to_apply.empty();
  });
  ASSERT_NE(step, node.steps.end());
  plan::reword(planned);
  const auto is_hunk = [](const std::string& line) { return line.starts_with("@@ -"); };
  EXPECT_TRUE(std::any_of(step->commands.begin(), step->commands.end(), is_hunk)) << all_commands(*step);

  std::string& patch = std::get<plan::LookOnly>(step->action).to_apply;
  const std::string file = "+++ " + site.files[0].path;
  ASSERT_NE(patch.find(file), std::string::npos) << patch;
  patch.replace(patch.find(file), file.size(), "+++ /etc/crontab");
  auto why = plan::why_not_allowed(node, plan::intent_of(planned.intent, node.node), planned.means());
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("it shows a patch of /etc/crontab, which is none of Slurm's files"), std::string::npos)
      << *why;
}

TEST_F(SlurmPlans, TheSitesClientsAndBootFileHaveStepsOfTheirOwn) {
  site.stop_clients = {"systemctl stop dcgm"};
  site.start_clients = {"systemctl start dcgm"};
  site.boot_file = "/etc/mig.yaml";
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_NE(order(all).find("stop-gpu-clients set-mode"), std::string::npos) << order(all);
  EXPECT_NE(order(all).find("write-boot-file write-config start-gpu-clients look-only reconfigure"),
            std::string::npos)
      << order(all);
  const auto& boot = std::get<plan::Special>(find(all, "write-boot-file").action);
  EXPECT_EQ(boot.arguments.at("text"),
            "# n1: written by tessera\nversion: v1\nmig-configs:\n  tessera:\n"
            "    - devices: [1]\n      mig-enabled: false\n"
            "    - devices: [0]\n      mig-enabled: true\n      mig-devices:\n        \"1g.10gb\": 7\n");
  auto warned = [&](const std::vector<plan::Notice>& told) {
    return std::any_of(told.begin(), told.end(), [](const auto& one) { return one.rule == "reboot"; });
  };
  EXPECT_FALSE(warned(plan_for(wants("7x1g.10gb")).notices));
  site.boot_file.clear();
  EXPECT_TRUE(warned(plan_for(wants("7x1g.10gb")).notices)) << "no step makes them survive a reboot";
}

TEST_F(SlurmPlans, TheBootUnitIsSeenToBeEnabledAndTakenBackWhereTheRunHasEnabledIt) {
  site.boot_file = "/etc/mig.yaml";
  EXPECT_EQ(order(steps(wants("7x1g.10gb"))).find("boot-unit"), std::string::npos) << "a hook may do it";
  site.boot_unit = "mig.service";
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_NE(order(all).find("write-boot-file boot-unit write-config"), std::string::npos) << order(all);
  const Step& enable = find(all, "boot-unit");
  EXPECT_EQ(enable.commands, std::vector<std::string>{"ssh n1 systemctl enable mig.service"});
  EXPECT_TRUE(expects(enable.after, plan::slurm::key::kBootUnit, "enabled"));
  EXPECT_TRUE(expects(all.front().after, plan::slurm::key::kBootUnitUsable, ""));

  plan::RunStarted started;
  started.run = "r1", started.plan = plan_for(wants("7x1g.10gb"));
  plan::Run run = plan::run_of(started);
  std::vector<Slice> sevens;
  for (int i = 0; i < 7; ++i) sevens.push_back(instance("1g.10gb", i, 1, i));
  Story story;
  story.tell(NodesListed{{test::node("n1", {cut(0, sevens), uncut(1, 1)})}});
  auto undo = [&] {
    auto way = plan::plan_undo(run, story.cluster(), catalogue(), started.plan.means(), {}, at(2));
    EXPECT_TRUE(way) << (way ? "" : to_line(way.error()));
    return way ? way->nodes[0].steps : std::vector<Step>{};
  };
  // It was enabled before: on the way back, too, it is only looked at.
  EXPECT_TRUE(expects(find(undo(), "boot-unit").after, plan::slurm::key::kBootUnit, "enabled"));
  EXPECT_TRUE(note(run, {2, at(1), NodeName("n1"), plan::StepBegun{enable.id, 1, enable.action}}));
  std::vector<Step> back = undo();
  EXPECT_NE(order(back).find("boot-unit open-node clear-mark"), std::string::npos) << order(back);
  EXPECT_EQ(find(back, "boot-unit").commands,
            std::vector<std::string>{"ssh n1 systemctl disable mig.service"});
  EXPECT_TRUE(expects(find(back, "boot-unit").after, plan::slurm::key::kBootUnit, "disabled"));
  EXPECT_EQ(back.back().id, "n1/" + std::to_string(back.size()));
  // Kept in a file, such a way back is applied: its intent alone says that the unit goes.
  auto way = plan::plan_undo(run, story.cluster(), catalogue(), started.plan.means(), {}, at(2));
  ASSERT_TRUE(way);
  auto again = plan::make_plan(story.cluster(), catalogue(), way->intent, started.plan.means(), {}, at(2));
  ASSERT_TRUE(again);
  auto why = plan::why_not_as_made(*way, *again);
  EXPECT_FALSE(why) << to_line(*why);

  // Without systemd the plan says so, and the run does not depend on it.
  site.without_systemd = {"n1"};
  plan::Plan plain = plan_for(wants("7x1g.10gb"));
  EXPECT_EQ(order(plain.nodes[0].steps).find("boot-unit"), std::string::npos);
  EXPECT_TRUE(std::any_of(plain.notices.begin(), plain.notices.end(), [](const plan::Notice& one) {
    return one.rule == "boot-unit" && one.text.find("there is no systemctl") != std::string::npos;
  }));
}

// A node that has rebooted without anybody who cuts it again: its slurmd waits for devices and gives up.
TEST_F(SlurmPlans, ANodeThatIsDownByItselfIsChangedAndItsSlurmdStarted) {
  node.health = Health::down;
  node.state = {"DOWN", "NOT_RESPONDING"};
  node.reason = "Node unexpectedly rebooted";
  std::vector<Step> by_hand = steps(wants("7x1g.10gb"));
  EXPECT_NE(order(by_hand).find("reconfigure look-only look-only open-node"), std::string::npos)
      << "no reconfigure starts it: " << order(by_hand);
  site.restart_node = {"ssh", "{node}", "systemctl", "restart", "slurmd"};
  std::vector<Step> all = steps(wants("7x1g.10gb"));
  EXPECT_NE(order(all).find("reconfigure restart-node look-only open-node"), std::string::npos) << order(all);
  node.reason = "Not responding";
  EXPECT_EQ(plan_for(wants("7x1g.10gb")).no_steps, "");
  node.reason = "tessera r1 ann@ctl: cut";  // a run that was interrupted
  EXPECT_EQ(plan_for(wants("7x1g.10gb")).no_steps, "");
  // What a user knows of it is not overruled, and nothing is begun that cannot get there.
  for (const char* other : {"bad memory", "", "Not responding, says bob"}) {
    node.reason = other;
    EXPECT_NE(plan_for(wants("7x1g.10gb")).no_steps.find("State=RESUME"), std::string::npos) << other;
  }
  node.reason = "Not responding";
  for (Reach reach : {Reach::srun, Reach::none}) {
    site.reach = reach;
    EXPECT_NE(plan_for(wants("7x1g.10gb")).no_steps.find("--slurm-runner ssh"), std::string::npos);
  }
  // Silence alone may pass: the run waits for it.
  site.reach = Reach::srun;
  node.state = {"IDLE", "NOT_RESPONDING"};
  EXPECT_EQ(plan_for(wants("7x1g.10gb")).no_steps, "");
}

// Numbers that Slurm counts by are not the driver's where slices have no GPU.
TEST_F(SlurmPlans, WholeGpusBesideSlicesWithoutABoardAreNotTakenForBoards) {
  node.pool.push_back(instance("1g.10gb", 0, 1, 2));
  Story story;
  story.tell(NodesListed{{node}});
  auto made = plan::make_plan(story.cluster(), catalogue(), wants("7x1g.10gb"), plan::slurm_capabilities(),
                              {}, at(0));
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().reason.find("not on which GPUs"), std::string::npos) << to_line(made.error());
}

// mig-parted does in one step what nvidia-smi does in several, and what it is told of is only what changes.
// Cut by hand, or by a user whose files were put back: what is missing is that Slurm knows.
TEST_F(SlurmPlans, BoardsThatStandAsWishedAreToldToSlurmWithoutTouchingThem) {
  std::vector<Slice> sevens;
  for (int i = 0; i < 7; ++i) sevens.push_back(instance("1g.10gb", i, 1, 7 + i));
  node = test::node("n1", {cut(0, sevens), uncut(1, 1)});
  jobs = {running("7", "alice", {holds("n1", {{1, 1}})})};
  const char* told =
      "look-only look-only close-node set-mark look-only write-config look-only reconfigure look-only "
      "open-node clear-mark";
  plan::Plan plan = plan_for(wants("7x1g.10gb"));
  EXPECT_EQ(order(plan.nodes.at(0).steps), told);
  EXPECT_TRUE(plan.changes_anything());
  EXPECT_TRUE(plan.nodes[0].needs.drain);
  ASSERT_EQ(plan.nodes[0].blast_radius.size(), 1u) << "its GRES would change under that job";
  EXPECT_EQ(plan.nodes[0].before, plan.nodes[0].after);
  ASSERT_FALSE(plan.notices.empty());
  EXPECT_NE(plan.notices[0].text.find("slurm.conf says gpu:h100:2"), std::string::npos)
      << plan.notices[0].text;
  const Step& write = find(plan.nodes[0].steps, "write-config");
  EXPECT_TRUE(expects(write.after, plan::slurm::key::kConfig, "gpu:1g.10gb:7,gpu:h100:1"));

  // Files that say it already: nothing, unless Slurm still runs with something else.
  const std::string own =
      "NodeName=n1 CPUs=64 Gres=gpu:1g.10gb:7,gpu:h100:1\nNodeName=n2 CPUs=64 Gres=gpu:h100:2\n";
  const std::string others = "NodeName=n2 Name=gpu Type=h100 File=/dev/nvidia[0-1]\n";
  site.files[0].text = own;
  site.files[1].text = others +
                       "NodeName=n1 Name=gpu Type=1g.10gb File=/dev/gi0-[7-13]\n"
                       "NodeName=n1 Name=gpu Type=h100 File=/dev/nvidia1\n";
  EXPECT_TRUE(plan_for(wants("7x1g.10gb")).nodes.at(0).steps.empty());
  site.unapplied = {"n1"};
  EXPECT_EQ(order(steps(wants("7x1g.10gb"))), told);
  site.unapplied = {"n2"};
  EXPECT_TRUE(plan_for(wants("7x1g.10gb")).nodes.at(0).steps.empty());

  // The same counted, written in other words; other devices are another matter, but for slurmd that looks.
  site.files[1].text = others +
                       "NodeName=n1 Name=gpu Type=h100 File=/dev/nvidia1\n"
                       "NodeName=n1 Name=gpu File=/dev/gi0-[10-13] type=1g.10gb\n"
                       "NodeName=n1 Name=gpu File=/dev/gi0-[7-9] Type=1g.10gb\n";
  EXPECT_TRUE(plan_for(wants("7x1g.10gb")).nodes.at(0).steps.empty());
  site.files[1].text = others +
                       "NodeName=n1 Name=gpu Type=1g.10gb File=/dev/gi0-[0-6]\n"
                       "NodeName=n1 Name=gpu Type=h100 File=/dev/nvidia1\n";
  EXPECT_EQ(order(steps(wants("7x1g.10gb"))), told);
  site.files[1].text = others + "NodeName=n1 AutoDetect=nvml\n";
  EXPECT_TRUE(plan_for(wants("7x1g.10gb")).nodes.at(0).steps.empty());
  EXPECT_TRUE(plan_for(wants("7x1g.10gb"), false).nodes.at(0).steps.empty()) << "the files are not known";
}

TEST_F(SlurmPlans, MpsComesWithTheWordThatSlurmStartsNoDaemon) {
  auto said = [&](const plan::Plan& plan) {
    return std::any_of(plan.notices.begin(), plan.notices.end(),
                       [](const plan::Notice& one) { return one.rule == "mps-daemon"; });
  };
  plan::Intent shared = wants("7x1g.10gb");
  plan::Wish mps;
  mps.strategy = Strategy::mps, mps.replicas = 100;
  shared.boards = {{std::nullopt, mps}};
  EXPECT_TRUE(said(plan_for(shared)));
  EXPECT_FALSE(said(plan_for(wants("7x1g.10gb"))));
}

// Found out when it is planned, not once the node is drained and cut.
TEST_F(SlurmPlans, FilesThatCannotBeEditedAreARefusalAndNoSurprise) {
  auto refusal = [&] { return plan_for(wants("7x1g.10gb")).no_steps; };
  EXPECT_EQ(refusal(), "");
  site.files[1].text = "Name=gpu Type=h100 File=/dev/nvidia[0-1]\n";
  EXPECT_NE(refusal().find("gres.conf:1"), std::string::npos) << refusal();
  EXPECT_NE(refusal().find("NodeName="), std::string::npos) << refusal();
  site.writer = Writer::site;
  EXPECT_EQ(refusal(), "") << "who writes them by itself knows how";
  site.writer = Writer::here;
  site.files[1].text = kGresConf;
  site.files[0].text = "NodeName=n2 Gres=gpu:h100:2\n";
  EXPECT_NE(refusal(), "");
  site.files[0].text = "NodeName=n1 Gres=gpu:h100:2\nNodeName=n1 Gres=gpu:h100:2\n";
  EXPECT_NE(refusal(), "");
}

// What a site wrote in its own words about whole GPUs is no reason to drain its nodes.
TEST_F(SlurmPlans, WholeGpusInASitesOwnWordsAreToldAlready) {
  plan::Intent whole;
  whole.cluster = ClusterName("hpc");
  whole.nodes = {NodeName("n1")};
  whole.boards = {{std::nullopt, plan::Wish{}}};
  for (const char* lines : {"AutoDetect=nvml\n", "Name=gpu Type=h100 File=/dev/nvidia[0-1]\n", "",
                            "NodeName=n[1-2] Name=gpu Type=h100 Count=2 File=/dev/nvidia[0-1]\n"}) {
    site.files[1].text = lines;
    EXPECT_TRUE(plan_for(whole).nodes.at(0).steps.empty()) << lines;
  }
  site.files[0].text = "NodeName=n[1-2] Gres=gpu:2\n";
  EXPECT_TRUE(plan_for(whole).nodes.at(0).steps.empty());
  site.files[0].text = "NodeName=n2 Gres=gpu:2\n";  // a dynamic node has its GRES from elsewhere
  EXPECT_TRUE(plan_for(whole).nodes.at(0).steps.empty());
}

}  // namespace
}  // namespace tessera::test
