// The shipped demo of Slinky by keys: a machine that is a node of a simulated Slurm and of a simulated
// Kubernetes is planned, armed, drained on both sides, cut, given back and undone. slurm-operator is the
// simulator's own.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/json_check.hpp"
#include "tests/support/pty.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::test {
namespace {

class ConsoleSlinky : public testing::Test {
 protected:
  ConsoleSlinky() { options_.environment["XDG_STATE_HOME"] = scratch_.path(); }

  PtyOptions console() {
    PtyOptions options;
    options.columns = 150;
    options.rows = 44;
    options.arguments = {"--write", "--sim=slinky", state()};
    options.environment = options_.environment;
    return options;
  }
  std::string state() const { return "--sim-state=" + scratch_.path() + "/world"; }
  static bool arm(Pty& pty) { return pty.press("Adgx-03\r") && pty.wait_for("ARMED") && pty.press("!"); }
  // As another admin, or a job's owner, does meanwhile.
  void sim(std::vector<std::string> words) {
    words.push_back(state());
    Ran ran = run_simulator(words, options_);
    EXPECT_EQ(ran.code, 0) << ran.out << ran.err;
  }
  // Its row in a script: the words of both schedulers.
  std::string row(const std::string& cluster) {
    return run_tessera({"nodes", "-o", "json", "--cluster", cluster, "--filter", "node:dgx-03", state()},
                       options_)
        .out;
  }
  std::string slurms_slices() {
    return run_tessera({"slices", "-o", "json", "--cluster", "slurm", "--filter", "node:dgx-03", state()},
                       options_)
        .out;
  }

  Scratch scratch_;
  RunOptions options_;
};

TEST_F(ConsoleSlinky, OnePlanDrainsBothSidesCutsGivesBackAndIsUndoneByKeys) {
  Pty pty(console());
  ASSERT_TRUE(pty.wait_loaded() && pty.press("2")) << pty.screen();
  ASSERT_TRUE(pty.wait_for("READY; slurm MI")) << pty.screen();
  ASSERT_TRUE(pty.press("/dgx-03\rLap")) << pty.screen();
  ASSERT_TRUE(pty.press("jj") && pty.has("▌all-1g.10gb ")) << pty.screen();
  ASSERT_TRUE(pty.press("\rP") && pty.wait_for("waited for")) << pty.screen();
  ASSERT_TRUE(arm(pty)) << pty.screen();
  ASSERT_TRUE(pty.wait_for("dgx-03, which is MIXED+DRAIN in Slurm")) << pty.screen();
  const std::string drained = row("slurm");
  EXPECT_TRUE(json_at(drained, "/0/reason").starts_with("\"slurm-operator: tessera ")) << drained;
  sim({"end", "4404"});  // bob's job, which the run has waited for
  sim({"advance", "1m"});
  ASSERT_TRUE(pty.wait_for("DONE: the new layout is in place")) << pty.screen();
  EXPECT_EQ(json_at(row("slurm"), "/0/health"), "\"ok\"") << row("slurm");
  EXPECT_EQ(json_at(row("k8s"), "/0/health"), "\"ok\"") << row("k8s");
  EXPECT_NE(slurms_slices().find("1g.10gb"), std::string::npos) << "slurmd registers what it finds";
  ASSERT_TRUE(pty.press("z") && pty.wait_for("undoes") && arm(pty)) << pty.screen();
  ASSERT_TRUE(pty.wait_for("DONE: the earlier layout is in place again")) << pty.screen();
  EXPECT_EQ(json_at(row("slurm"), "/0/health"), "\"ok\"") << row("slurm");
  EXPECT_EQ(slurms_slices().find("1g.10gb"), std::string::npos);
  sim({"check"});
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

TEST_F(ConsoleSlinky, SlurmsOwnDrainOfAnotherStaysAndItsSideRefusesAPlan) {
  Ran refused = run_tessera(
      {"plan", "--sim=slinky", state(), "--cluster", "slurm", "--node", "dgx-03", "--layout", "7x1g.10gb"},
      options_);
  EXPECT_NE((refused.out + refused.err).find("its slurmd runs in pod slurm/gpu-w6hlg (Slinky)"),
            std::string::npos)
      << refused.out << refused.err;
  sim({"drain", "dgx-03", "fan failure", "--cluster", "slurm"});
  sim({"end", "4404"});
  sim({"advance", "1m"});
  Ran ran = run_tessera({"apply", state(), "--cluster", "k8s", "--node", "dgx-03", "--gpu", "0", "--layout",
                         "7x1g.10gb", "--write", "--yes", "-o", "json"},
                        options_);
  EXPECT_EQ(json_at(ran.out, "/outcome"), "\"wanted\"") << ran.out << ran.err;
  EXPECT_EQ(json_at(row("slurm"), "/0/reason"), "\"fan failure\"") << row("slurm");
  EXPECT_EQ(json_at(row("k8s"), "/0/health"), "\"ok\"");
}

// Mark, close, end slurmd, MIG on, create, open, remove the mark.
TEST_F(ConsoleSlinky, KilledAtAnyActionOfItsPlanItIsCarriedOnAndUndone) {
  EXPECT_EQ(run_tessera({"nodes", "--sim=slinky", state()}, options_).code, 0);
  sim({"end", "4404"});
  sim({"advance", "1m"});
  const auto newest = [&] {
    const std::string run = json_at(run_tessera({"journal", "-o", "json", state()}, options_).out, "/0/run");
    return run.size() > 2 ? run.substr(1, run.size() - 2) : "";
  };
  for (int nth = 1; nth <= 7; ++nth) {
    SCOPED_TRACE(nth);
    const std::string dies = nth % 2 == 0 ? "dies-after" : "dies-before";
    sim({"fault", dies + " node=dgx-03 nth=" + std::to_string(nth), "--cluster", "k8s"});
    Ran killed = run_tessera({"apply", state(), "--cluster", "k8s", "--node", "dgx-03", "--gpu", "0",
                              "--layout", "7x1g.10gb", "--write", "--yes"},
                             options_);
    ASSERT_EQ(killed.code, 128 + SIGKILL) << killed.out << killed.err;
    Ran on = run_tessera({"resume", newest(), state(), "--write", "--yes"}, options_);
    EXPECT_EQ(on.code, 0) << on.out << on.err;
    EXPECT_NE(slurms_slices().find("1g.10gb"), std::string::npos);
    Ran undone = run_tessera({"undo", newest(), state(), "--write", "--yes"}, options_);
    EXPECT_EQ(undone.code, 0) << undone.out << undone.err;
    for (const char* cluster : {"slurm", "k8s"})
      EXPECT_EQ(json_at(row(cluster), "/0/health"), "\"ok\"") << row(cluster);
    EXPECT_EQ(slurms_slices().find("1g.10gb"), std::string::npos);
  }
  sim({"check"});
}

}  // namespace
}  // namespace tessera::test
