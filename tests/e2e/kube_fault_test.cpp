// Faults while a node is changed through the GPU operator, the whole way: what the manager, the node or the
// API server does wrong, what a run makes of it, and what an admin
// reads on the command line.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/kube_fault_lab.hpp"

namespace tessera::test {
namespace {

TEST_F(KubeFault, AManagerThatHangsIsMendedOnTheWay) {
  serve_at(240);
  Ran ran = cut_with("wedges node=h2");
  EXPECT_NE(ran.err.find("only if the MIG manager hangs: undo its pauses and restart its pod"),
            std::string::npos)
      << ran.err;
  expect_cut(ran);
}

// Who looks for the first time does not have to wait for what is old already.
TEST_F(KubeFault, DoctorNamesAHangAndAHollowSuccessAtItsFirstLook) {
  serve_at(240);
  arm_fault("wedges node=h2");
  kubectl({"label", "node", "h2", "--overwrite", "nvidia.com/mig.config=all-1g.10gb"});
  Ran doctor;
  for (int looks = 0; looks < 20 && doctor.out.find("stuck: layout all-1g.10gb") == std::string::npos;
       ++looks)
    doctor = run({"doctor"});
  EXPECT_NE(doctor.out.find("stuck: layout all-1g.10gb pending for"), std::string::npos) << doctor.out;
  EXPECT_EQ(doctor.code, 1);
  disarm_faults();
  arm_fault("no-device node=h1 verb=reconfigure");
  kubectl({"label", "node", "h1", "--overwrite", "nvidia.com/mig.config=all-1g.20gb"});
  for (int looks = 0; looks < 20 && doctor.out.find("reported as made") == std::string::npos; ++looks)
    doctor = run({"doctor"});
  EXPECT_NE(doctor.out.find("layout all-1g.20gb is reported as made (state success) but is missing"),
            std::string::npos)
      << doctor.out;
}

TEST_F(KubeFault, AManagerThatFailsStopsTheRunAndIsOrderedAgainByResume) {
  Ran stopped = cut_with("fails node=h2");
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out;
  for (const char* said : {"the MIG manager failed at all-1g.10gb", "its log ends: ", "tessera resume "})
    EXPECT_NE(stopped.err.find(said), std::string::npos) << said << "\n" << stopped.err;
  expect_cut(resume(stopped));
}

TEST_F(KubeFault, NothingIsPlannedIntoADriverUpgrade) {
  kubectl({"label", "node", "h2", "nvidia.com/gpu-driver-upgrade-state=drain-required"});
  Ran refused = apply(kCutH2);
  EXPECT_EQ(refused.code, 1) << refused.out << refused.err;
  EXPECT_NE((refused.out + refused.err).find("a driver upgrade is under way on h2 (drain-required)"),
            std::string::npos)
      << refused.out << refused.err;
  EXPECT_EQ(told("h2", ".metadata.annotations"), "");
}

// What others do to the node meanwhile.
TEST_F(KubeFault, ACordonThatAUserLiftsIsSetAgain) {
  serve_at(10);  // the manager is at it for some seconds
  bool lifted = false;
  RunOptions options;
  options.signal_on_err = [&](const std::string& err) {
    if (err.find("follow the MIG manager") != std::string::npos && !std::exchange(lifted, true))
      kubectl({"uncordon", "h2"});
    return 0;
  };
  Ran ran = apply(kCutH2, options);
  EXPECT_NE(ran.err.find("the node is open to new workloads"), std::string::npos) << ran.err;
  expect_cut(ran);
}

TEST_F(KubeFault, ABudgetThatKeepsAPodIsToldAndAskedAgain) {
  serve_with_a_budget();
  KubeWords wish = kCutH2;
  wish.insert(wish.end(), {"--way", "cancel"});
  KubeWords look = wish;
  look.insert(look.begin(), "plan");
  Ran plan = run(look);
  EXPECT_NE(plan.out.find("cannot be evicted at once"), std::string::npos) << plan.out << plan.err;
  bool lifted = false;
  RunOptions options;
  options.signal_on_err = [&](const std::string& err) {
    if (err.find("disruption budget") != std::string::npos && !std::exchange(lifted, true)) lift_the_budget();
    return 0;
  };
  Ran ran = apply(wish, options);
  EXPECT_TRUE(lifted);
  EXPECT_NE(ran.err.find("needs 1 healthy pods and has 1 currently"), std::string::npos) << ran.err;
  expect_cut(ran);
}

// A mode that only a reboot changes: the node goes away and comes back in the middle.
TEST_F(KubeFault, ARebootThatBelongsToTheChangeIsWaitedFor) {
  serve_ampere(2);
  only_a_reboot_helps("a1");
  Ran ran = apply({"--node", "a1", "--preset", "all-1g.10gb"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("the node does not answer"), std::string::npos) << ran.err;
  EXPECT_EQ(offers("a1", "mig-1g\\.10gb"), "14");
  expect_given_back("a1");
}

// Its pod is started again, and reads the label again. At this speed it is away for longer than two looks are
// apart.
TEST_F(KubeFault, AManagerThatEndsAsItIsToActIsWaitedFor) {
  serve_at(4);
  Ran ran = cut_with("manager-down node=h2");
  EXPECT_NE(ran.err.find("is not ready: CrashLoopBackOff"), std::string::npos) << ran.err;
  expect_cut(ran);
}

TEST_F(KubeFault, SuccessWithNothingDoneIsNotTakenAndOrderedAgainByResume) {
  serve_at(240);
  Ran stopped = cut_with("no-device node=h2 verb=reconfigure");
  EXPECT_EQ(stopped.code, 1) << stopped.out << stopped.err;
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"");
  EXPECT_NE(stopped.err.find("the node offers 2 whole GPUs, not 14 of 1g.10gb: nothing was made"),
            std::string::npos)
      << stopped.err;
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "true") << "no work may land on what is not there";
  expect_cut(resume(stopped));
}

TEST_F(KubeFault, SuccessWithNothingDoneIsGivenBackByResumeBack) {
  serve_at(240);
  Ran stopped = cut_with("no-device node=h2 verb=reconfigure");
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out << stopped.err;
  Ran back = resume(stopped, {"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(json_at(back.out, "/outcome"), "\"recorded\"") << back.out;
  EXPECT_EQ(offers("h2", "gpu"), "2");
  expect_given_back("h2");
}

// Four GPUs, each reset and cut ten times as slowly: longer than a manager that hangs is given.
TEST_F(KubeFault, AManagerThatIsSlowIsLeftInPeaceAndItsTimeIsTold) {
  serve_ampere(4, 15);  // a look that comes a second late is no minute of the cluster
  arm_fault("slow node=a1");
  Ran ran = apply({"--node", "a1", "--preset", "all-1g.10gb"});
  EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.err.find("the MIG manager has been at all-1g.10gb for "), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find(" min, where half a minute is usual"), std::string::npos) << ran.err;
  EXPECT_EQ(ran.err.find("only if the MIG manager hangs"), std::string::npos) << ran.err;
  EXPECT_EQ(kubectl({"get", "pods", "-n", "gpu-operator", "-l", "app=nvidia-mig-manager", "-o",
                     "jsonpath={.items[*].status.containerStatuses[0].restartCount}"}),
            "0");
  EXPECT_EQ(offers("a1", "mig-1g\\.10gb"), "28");
}

// Away for some looks: it is waited for. Away for long: the run is parked, and taken up when it is back.
struct Away {
  const char *name, *fault, *from, *said;
};
void PrintTo(const Away& away, std::ostream* out) { *out << away.fault; }

class KubeFaultAway : public KubeFault, public testing::WithParamInterface<Away> {
 protected:
  // The fault strikes from a step on; SIGTERM once that it is away was told, if that is wanted.
  Ran cut_while_away(const std::string& times, bool ends) {
    bool armed = false;
    RunOptions options;
    options.signal_on_err = [&, ends](const std::string& err) {
      if (!armed && err.find(GetParam().from) != std::string::npos) {
        armed = true;
        arm_fault(GetParam().fault + times);
      }
      return ends && err.find(std::string("waits: ") + GetParam().said) != std::string::npos ? SIGTERM : 0;
    };
    return apply(kCutH2, options);
  }
};
INSTANTIATE_TEST_SUITE_P(
    Node, KubeFaultAway,
    testing::Values(Away{"Vanishes", "vanishes node=h2", "close h2 to new work",
                         "the cluster does not list this node any more"},
                    // It registers again, open: its cordon went with its object.
                    Away{"VanishesCordoned", "vanishes node=h2", "step h2/5: command succeeded; verifying",
                         "the cluster does not list this node any more"},
                    Away{"Silent", "silent node=h2", "follow the MIG manager", "the node does not answer"}),
    [](const auto& one) { return one.param.name; });

TEST_P(KubeFaultAway, IsWaitedForAndTheRunGoesOnByItself) {
  Ran ran = cut_while_away(" times=3", false);
  EXPECT_NE(ran.err.find(GetParam().said), std::string::npos) << ran.err;
  expect_cut(ran);
}

TEST_P(KubeFaultAway, IsParkedOnDemandAndTakenUpAgain) {
  Ran stopped = cut_while_away(" times=always", true);
  EXPECT_EQ(stopped.code, 128 + SIGTERM) << stopped.out << stopped.err;
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"");
  EXPECT_NE(stopped.err.find("tessera resume " + run_of(stopped)), std::string::npos) << stopped.err;
  disarm_faults();
  expect_cut(resume(stopped));
}

// The API server's own, at what a run writes and at what it reads; each strikes.
TEST_F(KubeFault, AServerInTroubleIsAskedAgain) {
  arm_every_server_fault();
  Ran ran = apply(kCutH2);
  expect_cut(ran);
  EXPECT_NE(ran.err.find("etcdserver: request timed out"), std::string::npos) << ran.err;
  EXPECT_EQ(do_to_server("GET", "faults", ""), "") << "some did not strike\n" << ran.err;
}

}  // namespace
}  // namespace tessera::test
