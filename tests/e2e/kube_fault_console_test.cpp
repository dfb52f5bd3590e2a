// Faults while a node is changed through the GPU operator, in the console and by its keys: what an admin sees
// of each while it lasts, and that the change ends well.
#include <gtest/gtest.h>

#include "tests/e2e/kube_fault_lab.hpp"

namespace tessera::test {
namespace {

class KubeFaultConsole : public KubeFault {
 protected:
  static bool shows(Pty& pty, std::string_view text) {
    bool seen = pty.wait_for(text);
    EXPECT_TRUE(seen) << "no: " << text << "\n" << pty.screen();
    return seen;
  }
  // Begins the change of a node without work.
  static bool begin(Pty& pty, const std::string& node = "h2") {
    return pty.wait_loaded() && pty.press(":plan " + node + " 7x1g.10gb\r") &&
           shows(pty, "disturbs no workload") && arm(pty, node);
  }
  // Of the run that is shown, in place of one line a step.
  static bool every_line(Pty& pty) { return shows(pty, "v shows all lines") && pty.press("v"); }
  static bool carry_on(Pty& pty, const std::string& node) {
    return shows(pty, " r resume") &&  // once its lock is let go
           pty.press("r") && shows(pty, "c carry on") && pty.press("c") &&
           shows(pty, "Type " + node + " to arm") && pty.press(node + "\r") && shows(pty, "ARMED") &&
           pty.press("!");
  }
  void expect_done(Pty& pty, const std::string& node, const std::string& slices) {
    shows(pty, "DONE: the new layout is in place");
    EXPECT_EQ(offers(node, "mig-1g\\.10gb"), slices);
    expect_given_back(node);
  }
};

// At this speed its pod is away for longer than two looks are apart.
TEST_F(KubeFaultConsole, AManagerThatEndsIsWaitedFor) {
  serve_at(4);
  Pty pty(console());
  arm_fault("manager-down node=h2");
  ASSERT_TRUE(begin(pty)) << pty.screen();
  shows(pty, "CrashLoopBackOff");
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, AManagerThatHangsIsMendedOnTheWay) {
  serve_at(240);
  Pty pty(console());
  arm_fault("wedges node=h2");
  ASSERT_TRUE(begin(pty)) << pty.screen();
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, AManagerThatFailsIsToldWithItsLogAndOrderedAgainByAKey) {
  serve_at(240);
  Pty pty(console());
  arm_fault("fails node=h2");
  ASSERT_TRUE(begin(pty)) << pty.screen();
  ASSERT_TRUE(shows(pty, "PARKED on h2"));
  EXPECT_TRUE(pty.has("the MIG manager failed at all-1g.10gb")) << pty.screen();
  EXPECT_TRUE(pty.has("its log ends: ")) << pty.screen();
  ASSERT_TRUE(carry_on(pty, "h2")) << pty.screen();
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, SuccessWithNothingDoneIsShownAndOrderedAgainByAKey) {
  serve_at(240);
  Pty pty(console());
  arm_fault("no-device node=h2 verb=reconfigure");
  ASSERT_TRUE(begin(pty)) << pty.screen();
  ASSERT_TRUE(shows(pty, "PARKED on h2"));
  EXPECT_TRUE(pty.has("nothing was made")) << pty.screen();
  ASSERT_TRUE(carry_on(pty, "h2")) << pty.screen();
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, AManagerThatIsSlowIsLeftInPeaceAndItsTimeIsShown) {
  serve_ampere(4, 15);  // a look that comes a second late is no minute of the cluster
  Pty pty(console());
  arm_fault("slow node=a1");
  ASSERT_TRUE(begin(pty, "a1") && every_line(pty)) << pty.screen();
  shows(pty, "where half a minute is");
  expect_done(pty, "a1", "28");
}

TEST_F(KubeFaultConsole, ARebootThatBelongsToTheChangeIsShownAndWaitedFor) {
  serve_ampere(2);
  only_a_reboot_helps("a1");
  Pty pty(console());
  ASSERT_TRUE(begin(pty, "a1")) << pty.screen();
  shows(pty, "the node does not answer");
  expect_done(pty, "a1", "14");
}

TEST_F(KubeFaultConsole, ANodeThatVanishesIsShownAndTheRunGoesOnWhenItIsBack) {
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded());
  arm_fault("vanishes node=h2 nth=8 times=always");
  ASSERT_TRUE(begin(pty)) << pty.screen();
  ASSERT_TRUE(shows(pty, "does not list this node"));
  disarm_faults();
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, ANodeThatFallsSilentIsShownAndTheRunGoesOnWhenItAnswers) {
  serve_at(5);
  Pty pty(console());
  ASSERT_TRUE(begin(pty)) << pty.screen();
  ASSERT_TRUE(shows(pty, "step h2/9: follow"));
  arm_fault("silent node=h2 times=always");
  ASSERT_TRUE(shows(pty, "the node does not answer"));
  disarm_faults();
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, ACordonThatAUserLiftsIsSetAgain) {
  serve_at(5);  // the manager is at it for some seconds
  Pty pty(console());
  ASSERT_TRUE(begin(pty)) << pty.screen();
  ASSERT_TRUE(shows(pty, "step h2/9: follow"));
  kubectl({"uncordon", "h2"});
  shows(pty, " to h2/5: the node is open to");
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, ABudgetThatKeepsAPodIsShownAndItsEvictionAskedForAgain) {
  serve_with_a_budget();
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.press(":plan h2 7x1g.10gb\r")) << pty.screen();
  ASSERT_TRUE(shows(pty, "disturbs 1 pod of ann"));
  ASSERT_TRUE(pty.press("c") && shows(pty, "cannot be evicted at once"));
  ASSERT_TRUE(arm(pty, "h2")) << pty.screen();
  ASSERT_TRUE(shows(pty, "needs 1 healthy pods"));
  lift_the_budget();
  expect_done(pty, "h2", "14");
}

TEST_F(KubeFaultConsole, AServerInTroubleIsAskedAgain) {
  arm_every_server_fault();
  Pty pty(console());
  ASSERT_TRUE(begin(pty)) << pty.screen();
  expect_done(pty, "h2", "14");
  EXPECT_EQ(do_to_server("GET", "faults", ""), "") << "some did not strike\n" << pty.screen();
}

}  // namespace
}  // namespace tessera::test
