#include "engine/slurmconf/settings.hpp"

#include <gtest/gtest.h>

namespace tessera::slurmconf {
namespace {

TEST(SlurmSettings, CommandsAreSplitWithoutAShell) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(*split_command("systemctl restart slurmctld"), (Words{"systemctl", "restart", "slurmctld"}));
  EXPECT_EQ(*split_command(R"(ssh 'a b' "c \" d" e\ f '')"), (Words{"ssh", "a b", "c \" d", "e f", ""}));
  EXPECT_EQ(*split_command("echo $(id); ls"), (Words{"echo", "$(id);", "ls"}));
  EXPECT_FALSE(split_command("echo 'x"));
  EXPECT_FALSE(split_command("echo \\"));
  EXPECT_FALSE(split_command("echo a\nb"));
}

TEST(SlurmSettings, WhatASiteSaysIsChecked) {
  auto site =
      slurm_setup_of({"pdsh -w {node} {command}", "host:cfg", "a b", "c {node}", "x y; z", "", "/etc/b",
                      "gpu=/d/{node}-{gpu},instance=/d/{index}", "nvidia-mig-parted", "mig@1.service"});
  ASSERT_TRUE(site) << to_line(site.error());
  EXPECT_EQ(site->reach, Reach::custom);
  EXPECT_EQ(site->writer, Writer::host);
  EXPECT_EQ(site->config_host, "cfg");
  EXPECT_EQ(site->stop_clients, (std::vector<std::string>{"x y", "z"}));
  EXPECT_EQ(site->instance_file, "/d/{index}");
  EXPECT_EQ(site->mig_tool, MigTool::mig_parted);
  EXPECT_EQ(site->boot_unit, "mig@1.service");
  ASSERT_TRUE(slurm_setup_of({}));
  EXPECT_EQ(slurm_setup_of({})->mig_tool, MigTool::nvidia_smi);
  for (const SlurmSettings& wrong : {SlurmSettings{"pdsh", "", "", "", "", "", "", "", ""},
                                     {"", "there", "", "", "", "", "", "", ""},
                                     {"", "", "'", "", "", "", "", "", ""},
                                     {"", "", "", "", "", "", "relative", "", ""},
                                     {"", "", "", "", "", "", "", "cpu=/x", ""},
                                     {"", "", "", "", "", "", "", "", "mig-parted"},
                                     {"", "", "", "", "", "", "/f", "", "", "--now"},
                                     {"", "", "", "", "", "", "/f", "", "", "a b"},
                                     {"", "", "", "", "", "", "", "", "", "unit.service"}}) {
    auto refused = slurm_setup_of(wrong);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().reason.find("slurm-"), std::string::npos) << to_line(refused.error());
  }
}

// Its words would reach a shell on the node, and some of them are names out of slurm.conf.
TEST(SlurmSettings, AnOwnWayThatJoinsWordsForAShellMustAskForOneText) {
  for (const char* way :
       {"ssh {node}", "/usr/bin/ssh -J gate {node}", "sudo -n ssh {node}", "timeout 9 ssh root@{node}",
        "clush -w {node}", "pdsh -w {node}", "dsh -m {node}", "parallel-ssh -H {node}", "bash on.sh {node}",
        "ssh gate 'ssh {node} {command}'", "sh -c 'ssh {node} {command}'"}) {
    auto refused = slurm_setup_of({way});
    ASSERT_FALSE(refused) << way;
    EXPECT_NE(refused.error().reason.find("slurm-runner"), std::string::npos) << to_line(refused.error());
    EXPECT_NE(refused.error().hint.find("{command}"), std::string::npos) << to_line(refused.error());
  }
  for (const char* way :
       {"ssh {node} {command}", "clush -N -w {node} {command}", "kubectl exec slurmd-{node} --",
        "/opt/site/on-node {node}", "enter --node={node} --cmd={command}"})
    EXPECT_TRUE(slurm_setup_of({way})) << way;
}

}  // namespace
}  // namespace tessera::slurmconf
