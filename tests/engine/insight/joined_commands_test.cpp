// Commands of one cause, as an admin copies them.
#include "engine/insight/joined_commands.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::test {
namespace {

using insight::CommandFor;
using insight::joined_commands;
using Lines = std::vector<std::string>;

// Forty nodes drained for one reason gave forty lines to paste.
TEST(JoinedCommands, ScontrolTakesOneHostlistAndKubectlSeveralNames) {
  std::vector<CommandFor> slurm, kube;
  for (int i = 1; i <= 40; ++i) {
    const std::string node = fmt::format("n{:02}", i);
    slurm.push_back({node, "scontrol show node " + node});
    slurm.push_back({node, fmt::format("scontrol update NodeName={} State=RESUME", node)});
    if (i <= 3) kube.push_back({node, "kubectl uncordon " + node});
  }
  EXPECT_EQ(joined_commands(slurm, 100),
            (Lines{"scontrol show node 'n[01-40]'", "scontrol update NodeName='n[01-40]' State=RESUME"}));
  EXPECT_EQ(joined_commands(kube, 100), Lines{"kubectl uncordon n01 n02 n03"});
  EXPECT_EQ(joined_commands({kube.front()}, 100), Lines{"kubectl uncordon n01"});
}

TEST(JoinedCommands, WhatDiffersInMoreThanTheNodeStaysApart) {
  EXPECT_EQ(joined_commands({{"n1", "tessera node reset-gpu n1 0"},
                             {"n2", "tessera node reset-gpu n2 0"},
                             {"n3", "tessera node reset-gpu n3 5"}},
                            100),
            (Lines{"tessera node reset-gpu 'n[1-2]' 0", "tessera node reset-gpu n3 5"}));
  EXPECT_EQ(joined_commands(
                {{"n1", "tessera node restart-plugin n1"}, {"n2", "tessera node restart-plugin n2"}}, 100),
            Lines{"tessera node restart-plugin 'n[1-2]'"});
  // A node whose name begins like another's; a tool that takes one; what names no node.
  EXPECT_EQ(joined_commands({{"n1", "scontrol show node n10"},
                             {"n1", "nvidia-smi"},
                             {"n2", "nvidia-smi"},
                             {"n1", "ssh n1 uptime"},
                             {"n2", "ssh n2 uptime"}},
                            100),
            (Lines{"scontrol show node n10", "nvidia-smi", "ssh n1 uptime", "ssh n2 uptime"}));
}

// n2 was opened on the line before the reset of its GPU.
TEST(JoinedCommands, ANodeIsNeverOpenedBeforeItsOwnGpuIsReset) {
  std::vector<CommandFor> all;
  for (const auto& [node, gpu] : {std::pair{"n1", 0}, {"n2", 3}, {"n3", 0}}) {
    all.push_back({node, fmt::format("tessera node reset-gpu {} {}", node, gpu)});
    all.push_back({node, fmt::format("scontrol update NodeName={} State=RESUME", node)});
  }
  EXPECT_EQ(joined_commands(all, 100),
            (Lines{"tessera node reset-gpu 'n[1,3]' 0", "scontrol update NodeName=n1 State=RESUME",
                   "tessera node reset-gpu n2 3", "scontrol update NodeName='n[2-3]' State=RESUME"}));
}

TEST(JoinedCommands, ANameStaysOneWordForTheShellAndALineEnds) {
  EXPECT_EQ(joined_commands({{"a;b", "kubectl uncordon 'a;b'"}, {"c", "kubectl uncordon c"}}, 100),
            Lines{"kubectl uncordon 'a;b' c"});
  EXPECT_EQ(joined_commands({{"a,b", "scontrol show node a,b"}, {"c", "scontrol show node c"}}, 100),
            (Lines{"scontrol show node a,b", "scontrol show node c"}));
  std::vector<CommandFor> many;
  for (int i = 0; i < 250; ++i) {
    const std::string node = fmt::format("n{:03}", i);
    many.push_back({node, "kubectl uncordon " + node});
    many.push_back({node, "kubectl uncordon " + node});
  }
  EXPECT_EQ(joined_commands(many, 100).size(), 3u);
  EXPECT_EQ(joined_commands(many, 2).size(), 2u);
}

}  // namespace
}  // namespace tessera::test
