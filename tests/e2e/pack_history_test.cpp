// `tessera pack --for-history` of the real program from a real Prometheus: its peaks are the planner's
// demand. Slurm answers by a script.
#include <sys/stat.h>

#include "tests/support/json_check.hpp"
#include "tests/support/real_prometheus.hpp"

namespace tessera::test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class PackHistory : public testing::Test {
 protected:
  // Two GPUs of one node, of which nobody holds any now.
  PackHistory() {
    ::chmod(
        folder_
            .write("bin/scontrol",
                   "#!/bin/sh\ncase \"$*\" in\n"
                   "  ping) echo 'Slurmctld(primary) at ctl is UP';;\n"
                   "  *config) echo 'SLURM_VERSION = 22.05.8';;\n"
                   "  *node) echo 'NodeName=n1 Gres=gpu:h100:2 GresUsed=gpu:h100:0(IDX:N/A) State=IDLE';;\n"
                   "  *job) echo 'No jobs in the system';;\n"
                   "  *partition) echo 'No partitions in the system';;\n"
                   "  *reservation) echo 'No reservations in the system';;\nesac\n")
            .c_str(),
        0755);
    folder_.write("slurm.conf", "ClusterName=hpc\n");
  }
  Ran pack(const RealPrometheus& server, std::vector<std::string> more = {}) {
    std::vector<std::string> words{"pack",
                                   "--for-history=1d",
                                   "--slurm-conf",
                                   folder_.path() + "/slurm.conf",
                                   "--prometheus",
                                   server.url(),
                                   "--prometheus-command",
                                   std::string(kCurl) + " -sSf --max-time 10 {url}"};
    words.insert(words.end(), more.begin(), more.end());
    RunOptions options;
    options.environment = {{"PATH", folder_.path() + "/bin"}, {"HOME", folder_.path()}};
    return run_tessera(words, options);
  }
  static std::string slice(int gpu, int instance, const std::string& job) {
    return fmt::format(
        R"(DCGM_FI_DEV_FB_USED{{modelName="NVIDIA H100 80GB HBM3",UUID="GPU-{0}",gpu="{0}",Hostname="n1",)"
        R"(GPU_I_PROFILE="1g.10gb",GPU_I_ID="{1}",hpc_job="{2}"}})",
        gpu, instance, job);
  }
  Scratch folder_;
};

TEST_F(PackHistory, ThePeaksThatARealPrometheusKeptAreTheDemand) {
  if (prometheus_is_missing()) GTEST_SKIP() << kNeedsPrometheus;
  const TimePoint now = std::chrono::floor<std::chrono::minutes>(std::chrono::system_clock::now());
  // Three slices at once for two hours in the morning, one since.
  std::string text = "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  add_values(text, slice(0, 7, "11"), now - hours(8), now - hours(6), 4'000);
  add_values(text, slice(0, 8, "12"), now - hours(8), now - hours(6), 4'000);
  add_values(text, slice(1, 7, "13"), now - hours(8), now - minutes(10), 4'000);
  RealPrometheus server(text + "# EOF\n");
  const Ran json = pack(server, {"-o", "json"});
  EXPECT_LE(json.code, 1) << json.err;
  EXPECT_EQ(check_schema(schema_text("pack"), json.out), std::vector<std::string>{}) << json.out << json.err;
  EXPECT_EQ(text_at(json.out, "/history/source"), "prometheus") << json.out;
  EXPECT_EQ(text_at(json.out, "/history/peaks/0/profile"), "1g.10gb") << json.out;
  EXPECT_EQ(json_at(json.out, "/history/peaks/0/peak"), "3") << json.out;
  EXPECT_EQ(json_at(json.out, "/history/peaks/0/held_now"), "0") << json.out;
  const Ran told = pack(server);
  EXPECT_NE(told.out.find("Prometheus"), std::string::npos) << told.out << told.err;
  EXPECT_NE(told.out.find("1g.10gb"), std::string::npos) << told.out;
}

TEST_F(PackHistory, APrometheusThatHasNothingIsNoDemandOfNothing) {
  if (prometheus_is_missing()) GTEST_SKIP() << kNeedsPrometheus;
  const TimePoint now = std::chrono::floor<std::chrono::minutes>(std::chrono::system_clock::now());
  std::string text = "# TYPE other gauge\n";
  add_values(text, "other{a=\"b\"}", now - hours(1), now, 1);
  RealPrometheus server(text + "# EOF\n");
  const Ran ran = pack(server);
  EXPECT_EQ(ran.code, 3) << ran.out << ran.err;
  EXPECT_EQ(ran.out, "");
}

}  // namespace
}  // namespace tessera::test
