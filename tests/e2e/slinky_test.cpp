// Slinky: a machine that is a node of a real Slurm and of a simulated Kubernetes is one row, and one plan
// drains both. What slurm-operator does, in the words of its version 1.2, the test does by kubectl.
#include <gtest/gtest.h>
#include <signal.h>

#include <sstream>

#include "tests/e2e/slinky_lab.hpp"
#include "tests/support/slurm_lab.hpp"

namespace tessera::test {
namespace {

class SlinkyE2e : public KubeChangeLab {
 protected:
  void SetUp() override {
    KubeChangeLab::SetUp();
    if (!server_) return;
    kubectl({"create", "namespace", "slurm"});
    start_slurmd("Idle", "");
  }
  // slurm-operator's part.
  void start_slurmd(const std::string& states, const std::string& reason) {
    kubectl({"create", "-f", folder_.write("pod.json", kSlurmdPod)});
    report(states, reason);
  }
  void report(const std::string& states, const std::string& reason) {
    std::string all = R"({"type":"Ready","status":"True"})";
    std::istringstream stream(states);
    for (std::string state; std::getline(stream, state, '+');)
      all += R"(,{"type":"SlurmNodeState)" + state + R"(","status":"True","message":")" + reason + R"("})";
    kubectl({"patch", "pod", "w-0", "--namespace", "slurm", "--subresource=status", "--type=merge", "--patch",
             R"({"status":{"phase":"Running","conditions":[)" + all + "]}}"});
  }
  void answer_cordon() {
    kubectl({"annotate", "pod", "w-0", "--namespace", "slurm", "nodeset.slinky.slurm.net/pod-cordon=true"});
  }
  std::string slurmd() {
    return kubectl({"get", "pod", "w-0", "--namespace", "slurm", "--ignore-not-found", "--output", "name"});
  }
  std::string cordon_reason() {
    return told("h2", ".metadata.annotations.nodeset\\.slinky\\.slurm\\.net/node-cordon-reason");
  }
};

TEST_F(SlinkyE2e, OnePlanDrainsBothWaitsForSlurmsJobsAndForSlurmdAfterwards) {
  report("Mixed", "");
  Ran waits = apply({"--node", "h2", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "true");
  EXPECT_EQ(cordon_reason().find("tessera " + run_of(waits)), 0u) << cordon_reason();
  EXPECT_NE(waits.out.find("which is MIXED in Slurm"), std::string::npos) << waits.out;
  EXPECT_NE(slurmd(), "") << "its jobs still run";

  report("Mixed+Drain", "slurm-operator: " + cordon_reason());
  answer_cordon();
  EXPECT_EQ(json_at(resume(waits).out, "/outcome"), "\"waiting\"");
  EXPECT_NE(slurmd(), "");

  report("Idle+Drain", "slurm-operator: " + cordon_reason());
  // Killed while it waits for slurmd, which its NodeSet has not started yet.
  RunOptions killed;
  killed.signal_on_err = [](const std::string& said) {
    return said.find("waits: no pod that runs slurmd is on h2") == std::string::npos ? 0 : SIGKILL;
  };
  Ran cut = run({"resume", run_of(waits), "--write", "--yes", "-o", "json"}, killed);
  EXPECT_EQ(cut.code, 128 + SIGKILL) << cut.out << cut.err;
  EXPECT_EQ(offers("h2", "mig-1g\\.10gb"), "14");
  EXPECT_EQ(slurmd(), "");
  EXPECT_EQ(told("h2", ".spec.unschedulable"), "") << "its NodeSet starts it on an open node alone";
  EXPECT_EQ(cordon_reason(), "");

  start_slurmd("Idle", "");
  Ran done = resume(waits);
  EXPECT_EQ(json_at(done.out, "/outcome"), "\"wanted\"") << done.out << done.err;
  expect_given_back("h2");
}

TEST_F(SlinkyE2e, ARunThatIsTakenBackBeforeSlurmIsEmptyLeavesSlurmdAlone) {
  report("Allocated", "");
  Ran waits = apply({"--node", "h2", "--preset", "all-1g.10gb", "--when-empty"});
  EXPECT_EQ(json_at(waits.out, "/outcome"), "\"waiting\"") << waits.out << waits.err;
  Ran back = resume(waits, {"--back"});
  EXPECT_EQ(back.code, 0) << back.out << back.err;
  EXPECT_NE(slurmd(), "");
  EXPECT_EQ(cordon_reason(), "");
  EXPECT_EQ(offers("h2", "gpu"), "2");
  expect_given_back("h2");
}

class SlinkySite : public SlinkyE2e {
 protected:
  void SetUp() override {
    if (!SlurmLab::possible())
      GTEST_SKIP() << "needs root and Debian's slurmctld, slurmd, slurm-client and munge";
    SlinkyE2e::SetUp();
    if (!server_) return;
    lab_ = std::make_unique<SlurmLab>();
    ASSERT_EQ(lab_->trouble(), "");
    comment(R"({"namespace":"slurm","podName":"w-0","node":"h2","nodeSetName":"gpu"})");
  }
  void comment(const std::string& text) {
    LabAnswer set = lab_->run({"scontrol", "update", "NodeName=gpu01", "Comment=" + text});
    ASSERT_EQ(set.status, 0) << set.out;
  }
  Ran on_both(KubeWords words) {
    RunOptions options;
    options.environment = environment();
    options.environment["SLURM_CONF"] = lab_->conf();
    options.environment["KUBECONFIG"] = kubeconfig();
    words.insert(words.end(), {"--timeout", "40s"});
    return run_tessera(words, options);
  }
  std::unique_ptr<SlurmLab> lab_;
};

TEST_F(SlinkySite, AMachineIsOneRowWithBothNamesAndItsConflictIsAFinding) {
  Ran nodes = on_both({"nodes", "-o", "wide"});
  EXPECT_EQ(nodes.code, 0) << nodes.err;
  EXPECT_NE(nodes.out.find("READY; slurm IDLE (gpu01)"), std::string::npos) << nodes.out;
  Ran json = on_both({"nodes", "-o", "json", "--filter", "node:h2"});
  EXPECT_EQ(json_at(json.out, "/0/name"), "\"h2\"") << json.out << json.err;
  EXPECT_EQ(json_at(json.out, "/0/also/0/name"), "\"gpu01\"") << json.out;
  Ran slurm = on_both({"nodes", "-o", "json", "--cluster", "lab", "--filter", "node:gpu01"});
  EXPECT_EQ(json_at(slurm.out, "/0/pod"), "\"slurm/w-0\"") << slurm.out << slurm.err;
  Ran doctor = on_both({"doctor"});
  EXPECT_NE(doctor.out.find("has asked Kubernetes for none"), std::string::npos) << doctor.out << doctor.err;
}

TEST_F(SlinkySite, HostileCommentsJoinNothing) {
  for (const char* hostile :
       {R"({"namespace":"slurm","podName":"w-0")", R"({"namespace":"..","podName":"w-0/../x"})",
        "Gres=gpu:99 State=DOWN", R"({"namespace":"slurm","podName":"other"})"}) {
    comment(hostile);
    Ran json = on_both({"nodes", "-o", "json", "--filter", "node:gpu01"});
    EXPECT_EQ(json_at(json.out, "/0/also"), "[]") << hostile << json.out << json.err;
    EXPECT_EQ(json_at(json.out, "/0/gpus"), "8") << hostile;
  }
}

TEST_F(SlinkySite, SlurmsSideRefusesAndSaysWhereToPlan) {
  RunOptions options;
  options.environment = environment();
  options.environment["SLURM_CONF"] = lab_->conf();
  Ran plan =
      run_tessera({"plan", "--node", "gpu01", "--strategy", "mps", "--slurm-conf", lab_->conf()}, options);
  EXPECT_NE((plan.out + plan.err).find("its slurmd runs in pod slurm/w-0 (Slinky)"), std::string::npos)
      << plan.out << plan.err;
}

}  // namespace
}  // namespace tessera::test
