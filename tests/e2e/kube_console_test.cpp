// Changing nodes through the GPU operator in the console, by its keys: the real tessera in a pseudo-terminal,
// the real kubectl proxy, a simulated API server.
#include <gtest/gtest.h>

#include "tests/e2e/kube_change_lab.hpp"

namespace tessera::test {
namespace {

class KubeConsole : public KubeChangeLab {
 protected:
  // The editor's list of presets, down to the one with that word.
  static bool take_preset(Pty& pty, std::string_view word) {
    if (!pty.press("p")) return false;
    for (int i = 0; i < 60 && under_cursor(pty).find(word) == std::string::npos; ++i)
      if (!pty.press("j")) return false;
    return pty.press("\r");
  }
  static bool change(Pty& pty, const std::string& node) {
    return pty.press("P") && pty.wait_for("disturbs no workload") && arm(pty, node) &&
           pty.wait_for("DONE: the new layout is in place");
  }
  static bool take_back(Pty& pty, const std::string& node) {
    return pty.press("z") && pty.wait_for("undoes") && arm(pty, node) &&
           pty.wait_for("DONE: the earlier layout is in place again");
  }
};

TEST_F(KubeConsole, FromTheFirstLookToAChangeAndBack) {
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press("2"));
  for (const char* node : {"h1", "h2", "t1"}) EXPECT_TRUE(pty.has(node)) << pty.screen();
  // The guide answers what it can, asks, and leaves everything as it was.
  ASSERT_TRUE(pty.press("/h2\rD"));
  EXPECT_TRUE(pty.has("Q2")) << pty.screen();
  ASSERT_TRUE(pty.press("y"));
  EXPECT_TRUE(pty.has("MIG")) << pty.screen();
  ASSERT_TRUE(pty.press("\x1b"));
  ASSERT_TRUE(pty.press("2/h2\rL"));
  EXPECT_TRUE(pty.has("2 GPUs of h2")) << pty.screen();
  ASSERT_TRUE(take_preset(pty, "all-1g.10gb") && change(pty, "h2")) << pty.screen();
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  ASSERT_TRUE(take_back(pty, "h2")) << pty.screen();
  EXPECT_EQ(offers("h2", "gpu"), "2");
}

TEST_F(KubeConsole, ANodeIsSharedByTimeSlicesThenByMpsByItsKeys) {
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  struct Way {
    const char *word, *clients, *offered;
  };
  for (const Way& way : {Way{"time-slicing", "6", "24"}, Way{"MPS", "10", "40"}}) {
    ASSERT_TRUE(pty.press("2/t1\rL"));
    EXPECT_TRUE(pty.has("4 GPUs of t1")) << pty.screen();
    ASSERT_TRUE(take_preset(pty, way.word)) << pty.screen();
    ASSERT_TRUE(pty.press("#" + std::string(way.clients) + "\r") && change(pty, "t1")) << pty.screen();
    EXPECT_EQ(offers("t1", "gpu"), way.offered);
  }
}

TEST_F(KubeConsole, ANodeOffersVgpusAndIsTakenBackByItsKeys) {
  sim::kube::ServeOptions options = kube_lab(folder_);
  options.world.speed = 240;
  serve(std::move(options));
  kubectl({"patch", "clusterpolicy", "cluster-policy", "--type=merge", "-p",
           R"({"spec":{"sandboxWorkloads":{"enabled":true}}})"});
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.press("2/t1\rL")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("4 GPUs of t1") && take_preset(pty, "T4-4Q")) << pty.screen();
  ASSERT_TRUE(change(pty, "t1")) << pty.screen();
  EXPECT_EQ(offers("t1", "NVIDIA_T4-4Q"), "16");
  EXPECT_EQ(offers("t1", "gpu"), "0");
  ASSERT_TRUE(take_back(pty, "t1")) << pty.screen();
  EXPECT_EQ(offers("t1", "gpu"), "4");
}

TEST_F(KubeConsole, NothingIsPlannedIntoADriverUpgradeAndThatIsSaid) {
  kubectl({"label", "node", "h2", "nvidia.com/gpu-driver-upgrade-state=drain-required"});
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.press(":plan h2 7x1g.10gb\r")) << pty.screen();
  EXPECT_TRUE(pty.wait_for("only be reviewed: a driver upgrade is under way")) << pty.screen();
  EXPECT_EQ(told("h2", ".metadata.annotations"), "");
}

TEST_F(KubeConsole, WithoutTheRightToEvictTheRunSaysSoAndTouchesNothing) {
  sim::kube::ServeOptions server = kube_lab(folder_);
  auto users = sim::kube::parse_user_ports(
      "ops=0:get,list,watch:*;patch:nodes;delete:pods@gpu-operator;create:pods/eviction@elsewhere");
  ASSERT_TRUE(users.ok());
  server.users = *users;
  serve(std::move(server));
  PtyOptions options = console();
  options.arguments.insert(options.arguments.end(), {"--context", "lab-ops"});
  Pty pty(options);
  ASSERT_TRUE(pty.wait_loaded() && pty.press(":plan h1 7x1g.10gb\r")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("disturbs 1 pod of ann") && pty.press("c")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("WILL END") && arm(pty, "h1")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("PARKED on h1")) << pty.screen();
  EXPECT_TRUE(pty.has("create pods/eviction")) << pty.screen();
  EXPECT_EQ(told("h1", ".metadata.annotations"), "");
  EXPECT_EQ(told("h1", ".spec.unschedulable"), "");
}

TEST_F(KubeConsole, WhatTheExportersTellOfABoardIsShown) {
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.press(":node h1\r")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("GPU 1")) << pty.screen();
  EXPECT_TRUE(pty.wait_for("80 GiB")) << pty.screen();
  for (const char* word : {"%", "°C", " W", "sft"})
    EXPECT_TRUE(pty.has(word)) << word << "\n" << pty.screen();
}

}  // namespace
}  // namespace tessera::test
