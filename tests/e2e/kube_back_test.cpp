// Going back from a change through the GPU operator that was stopped, failed or lied: the order is put back
// as well as the offer, and the node is opened last.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/e2e/kube_fault_lab.hpp"

namespace tessera::test {
namespace {

class KubeBack : public KubeFault {
 protected:
  std::string ordered() { return told("h2", ".metadata.labels.nvidia\\.com/mig\\.config"); }
  std::string state() { return told("h2", ".metadata.labels.nvidia\\.com/mig\\.config\\.state"); }
  // The change of h2, ended by a signal once that was told.
  Ran stopped_at(const std::string& said, int with) {
    RunOptions options;
    options.signal_on_err = [said, with](const std::string& err) {
      return err.find(said) != std::string::npos ? with : 0;
    };
    return apply(kCutH2, options);
  }
  std::string newest_run() {
    Ran runs = run({"journal", "-o", "json"});
    std::string text = json_at(runs.out, "/0/run");
    return text.size() > 1 ? text.substr(1, text.size() - 2) : text;
  }
  void expect_back(const Ran& ran) {
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
    EXPECT_EQ(json_at(ran.out, "/outcome"), "\"recorded\"") << ran.out;
    expect_as_found(ran);
  }
  void expect_as_found(const Ran& ran) {
    EXPECT_EQ(ordered() + " " + state(), "all-disabled success") << ran.err;
    EXPECT_EQ(offers("h2", "gpu"), "2");
    expect_given_back("h2");
    EXPECT_LT(ran.err.rfind("ask the MIG manager for all-disabled"), ran.err.rfind("open h2 again"))
        << ran.err;
  }
};

TEST_F(KubeBack, ParkedWhileTheManagerWorksItsOrderIsTakenBackFirst) {
  serve_at(10);
  Ran stopped = stopped_at("follow the MIG manager", SIGINT);
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out << stopped.err;
  expect_back(resume(stopped, {"--back"}));
}

TEST_F(KubeBack, KilledWhileTheManagerWorksItsOrderIsTakenBackFirst) {
  serve_at(10);
  stopped_at("follow the MIG manager", SIGKILL);
  const std::string killed = newest_run();
  expect_back(run({"resume", killed, "--back", "--write", "--yes", "-o", "json"}));
}

TEST_F(KubeBack, AFailedOrderIsTakenBack) {
  Ran stopped = cut_with("fails node=h2");
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out << stopped.err;
  expect_back(resume(stopped, {"--back"}));
}

TEST_F(KubeBack, AnOrderThatMadeNothingIsTakenBack) {
  serve_at(240);
  Ran stopped = cut_with("no-device node=h2 verb=reconfigure");
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out << stopped.err;
  expect_back(resume(stopped, {"--back"}));
}

TEST_F(KubeBack, AnOrderAtWhichTheManagerHangsIsTakenBack) {
  serve_at(240);
  arm_fault("wedges node=h2");
  Ran stopped = stopped_at("the MIG manager has been at all-1g.10gb for", SIGINT);
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out << stopped.err;
  expect_back(resume(stopped, {"--back"}));
}

TEST_F(KubeBack, OnFailureUndoTakesTheOrderBack) {
  arm_fault("fails node=h2");
  KubeWords wish = kCutH2;
  wish.insert(wish.end(), {"--on-failure", "undo"});
  expect_as_found(apply(wish));
}

TEST_F(KubeBack, ByKeysItIsTheSame) {
  serve_at(240);
  Pty pty(console());
  arm_fault("fails node=h2");
  ASSERT_TRUE(pty.wait_loaded() && pty.press(":plan h2 7x1g.10gb\r") && pty.wait_for("disturbs no workload"));
  ASSERT_TRUE(arm(pty, "h2")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("PARKED on h2") && pty.wait_for(" r resume") && pty.press("r")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("b go back") && pty.press("b")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("Type h2 to arm") && pty.press("h2\r") && pty.wait_for("ARMED") && pty.press("!"));
  ASSERT_TRUE(pty.wait_for("recorded layout")) << pty.screen();
  EXPECT_EQ(ordered() + " " + state(), "all-disabled success");
  expect_given_back("h2");
}

// The managed platform's "none": a state of its own, which is planned, read back, left and come back to.
TEST_F(KubeBack, ANodeIsTakenToNoneAndBack) {
  serve_ampere(2);
  const KubeWords none{"--node", "a1", "--platform", "fpt", "--preset", "none"};
  const std::string label = ".metadata.labels.nvidia\\.com/gpu\\.deploy\\.device-plugin";
  Ran away = apply(none);
  EXPECT_EQ(away.code, 0) << away.out << away.err;
  EXPECT_EQ(json_at(away.out, "/outcome"), "\"wanted\"") << away.out;
  EXPECT_EQ(told("a1", label) + " " + offers("a1", "gpu"), "false 0");
  KubeWords again = none;
  again.insert(again.begin(), "plan");
  EXPECT_NE(run(again).out.find("already in that state"), std::string::npos);
  Ran back = run({"undo", run_of(away), "--write", "--yes", "-o", "json"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_EQ(told("a1", label) + " " + offers("a1", "gpu"), "true 2");
  expect_given_back("a1");
  EXPECT_EQ(apply(none).code, 0);
  Ran cut = apply({"--node", "a1", "--platform", "fpt", "--preset", "all-1g.10gb"});
  EXPECT_EQ(cut.code, 0) << cut.out << cut.err;
  EXPECT_EQ(told("a1", label) + " " + offers("a1", "mig-1g\\.10gb"), "true 14");
}

TEST_F(KubeBack, AnOrderThatStandsBesideTheOldOfferIsPlannedAway) {
  arm_fault("fails node=h2");
  kubectl({"label", "node", "h2", "--overwrite", "nvidia.com/mig.config=all-1g.10gb"});
  kubectl({"wait", "node/h2", "--for=jsonpath={.metadata.labels.nvidia\\.com/mig\\.config\\.state}=failed",
           "--timeout=60s"});
  Ran plan = run({"plan", "--node", "h2", "--preset", "all-disabled"});
  EXPECT_EQ(plan.out.find("already in that state"), std::string::npos) << plan.out << plan.err;
  EXPECT_NE(plan.out.find("nvidia.com/mig.config: all-1g.10gb → all-disabled"), std::string::npos)
      << plan.out;
  Ran document = run({"plan", "--node", "h2", "--preset", "all-disabled", "-o", "json"});
  EXPECT_EQ(json_at(document.out, "/nodes/0/ordered_before/nvidia.com~1mig.config"), "\"all-1g.10gb\"")
      << document.out << document.err;
  EXPECT_EQ(json_at(document.out, "/nodes/0/ordered_after/nvidia.com~1mig.config"), "\"all-disabled\"")
      << document.out;
  Ran mended = apply({"--node", "h2", "--preset", "all-disabled"});
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
  EXPECT_EQ(json_at(mended.out, "/outcome"), "\"wanted\"") << mended.out;
  expect_as_found(mended);
}

TEST_F(KubeBack, ARunThatChangedNothingLeavesWhatOthersMadeSince) {
  kubectl({"annotate", "node", "h2", "tessera/run=tessera b-1 bob@login2"});
  Ran stopped = apply(kCutH2);
  EXPECT_EQ(json_at(stopped.out, "/outcome"), "\"parked\"") << stopped.out << stopped.err;
  kubectl({"annotate", "node", "h2", "tessera/run-"});
  kubectl({"label", "node", "h2", "--overwrite", "nvidia.com/mig.config=all-3g.40gb"});
  kubectl({"wait", "node/h2", "--for=jsonpath={.status.allocatable.nvidia\\.com/mig-3g\\.40gb}=4",
           "--timeout=60s"});
  Ran back = resume(stopped, {"--back"});
  EXPECT_EQ(ordered(), "all-3g.40gb") << back.out << back.err;
  EXPECT_EQ(offers("h2", "mig-3g\\.40gb"), "4");
  expect_given_back("h2");
}

TEST_F(KubeBack, WhatOthersHaveOrderedSinceIsNotOverruledUnasked) {
  Ran stopped = cut_with("fails node=h2");
  kubectl({"label", "node", "h2", "--overwrite", "nvidia.com/mig.config=all-3g.40gb"});
  kubectl({"wait", "node/h2", "--for=jsonpath={.metadata.labels.nvidia\\.com/mig\\.config\\.state}=success",
           "--timeout=60s"});
  Ran back = resume(stopped, {"--back"});
  EXPECT_EQ(back.code, 1) << back.out << back.err;
  EXPECT_NE(back.err.find("another user has ordered nvidia.com/mig.config=all-3g.40gb on h2 since"),
            std::string::npos)
      << back.err;
  EXPECT_NE(back.err.find("--accept-harm accepts that"), std::string::npos) << back.err;
  EXPECT_EQ(ordered(), "all-3g.40gb");
  expect_back(resume(stopped, {"--back", "--accept-harm"}));
}

// The strategy single, and GPUs that are cut in more than one way.
TEST_F(KubeBack, ANodeThatIsMigInvalidIsMendedByWhatDoctorSays) {
  sim::kube::ServeOptions options = kube_lab(folder_);
  options.world.scenario = folder_.write("broken.yaml", R"(
clusters:
  - name: lab
    scheduler: kubernetes
    users: [ann]
    nodes:
      - {names: x1, product: A100-80GB, gpus: 2, layouts: [all-1g.10gb, all-2g.20gb], mig_strategy: single,
         driver: 570.124.06}
)");
  serve(std::move(options));
  Ran doctor = run({"doctor"});
  EXPECT_NE(doctor.out.find("tessera apply --node x1 --preset all-disabled --write"), std::string::npos)
      << doctor.out << doctor.err;
  Ran mended = apply({"--node", "x1", "--preset", "all-disabled"});
  EXPECT_EQ(mended.code, 0) << mended.out << mended.err;
  EXPECT_EQ(json_at(mended.out, "/outcome"), "\"wanted\"") << mended.out;
  EXPECT_EQ(offers("x1", "gpu"), "2");
  expect_given_back("x1");
}

}  // namespace
}  // namespace tessera::test
