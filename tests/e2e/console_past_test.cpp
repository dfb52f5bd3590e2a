// The screen of usage in the real console, of what a real Prometheus kept: no recorder ever ran here. Slurm
// answers by a script, and no slurmdbd is there.
#include <sys/stat.h>

#include "tests/support/pty.hpp"
#include "tests/support/real_prometheus.hpp"

namespace tessera::test {
namespace {

using std::chrono::hours;

class ConsolePast : public testing::Test {
 protected:
  ConsolePast() {
    program("scontrol",
            "case \"$*\" in\n"
            "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
            "  *config) echo 'SLURM_VERSION = 22.05.8';;\n"
            "  *node) echo 'NodeName=n1 Gres=gpu:h100:2 GresUsed=gpu:h100:0(IDX:N/A) State=IDLE';;\n"
            "  *job) echo 'No jobs in the system';;\n"
            "  *partition) echo 'No partitions in the system';;\n"
            "  *reservation) echo 'No reservations in the system';;\nesac\n");
    // It waits for longer than any test does.
    program("sacctmgr", "echo asked >> " + folder_.path() + "/sacctmgr.log\nexec sleep 1000\n");
    folder_.write("slurm.conf", "ClusterName=hpc\n");
  }
  void program(const std::string& name, const std::string& text) {
    ::chmod(folder_.write("bin/" + name, "#!/bin/sh\n" + text).c_str(), 0755);
  }
  PtyOptions options(std::vector<std::string> more) const {
    PtyOptions options;
    options.columns = 120;
    options.rows = 40;
    options.arguments = {"--slurm-conf", folder_.path() + "/slurm.conf"};
    options.arguments.insert(options.arguments.end(), more.begin(), more.end());
    options.environment = {{"PATH", folder_.path() + "/bin:/usr/bin:/bin"}, {"HOME", folder_.path()}};
    return options;
  }
  Scratch folder_;
};

TEST_F(ConsolePast, WhatPrometheusKeptIsShownWithoutARecording) {
  if (prometheus_is_missing()) GTEST_SKIP() << kNeedsPrometheus;
  const TimePoint now = std::chrono::floor<std::chrono::minutes>(std::chrono::system_clock::now());
  const std::string gpu =
      R"(modelName="NVIDIA H100 80GB HBM3",UUID="GPU-0",gpu="0",Hostname="n1",hpc_job="88123")";
  std::string text = "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  add_values(text, "DCGM_FI_DEV_FB_USED{" + gpu + "}", now - hours(3), now - hours(1), 4'000);
  text += "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n";
  add_values(text, "DCGM_FI_DEV_GPU_UTIL{" + gpu + "}", now - hours(3), now - hours(1), 40);
  RealPrometheus server(text + "# EOF\n");
  Pty pty(options({"--prometheus", server.url(), "--prometheus-command",
                   std::string(kCurl) + " -sSf --max-time 10 {url}"}));
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press(":usage\r"));
  ASSERT_TRUE(pty.wait_for("h by Prometheus")) << pty.screen();
  EXPECT_TRUE(pty.has("88123")) << pty.screen();
  EXPECT_TRUE(pty.has("Prometheus was asked by")) << pty.screen();
  ASSERT_TRUE(pty.press(":waste\r"));
  ASSERT_TRUE(pty.wait_for("h by Prometheus")) << pty.screen();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/sacctmgr.log")) << "on request alone";
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

// A database that hangs holds neither the keys nor the end of the console up.
TEST_F(ConsolePast, AnAccountingThatDoesNotAnswerIsAskedOnRequestAndLeftAtOnce) {
  Pty pty(options({}));
  ASSERT_TRUE(pty.wait_loaded()) << pty.screen();
  ASSERT_TRUE(pty.press(":usage\r"));
  ASSERT_TRUE(pty.wait_for("ask slurmdbd, which knows the jobs of the days before")) << pty.screen();
  EXPECT_FALSE(std::filesystem::exists(folder_.path() + "/sacctmgr.log")) << "on request alone";
  pty.send("o");  // while it is read no console is idle
  ASSERT_TRUE(pty.wait_until([&] { return pty.has("asking slurmdbd, a day at a time"); })) << pty.screen();
  pty.send("q");
  ASSERT_TRUE(pty.wait_ended());
  EXPECT_EQ(pty.exit_code(), 0);
}

}  // namespace
}  // namespace tessera::test
