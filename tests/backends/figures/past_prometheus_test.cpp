// The past of a real Prometheus, whose blocks are written by its own promtool: hours, use and gaps by hand.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>

#include "backends/figures/ask_and_wait.hpp"
#include "backends/figures/past_rounds.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::figures {
namespace {

using namespace std::chrono_literals;

constexpr const char* kServer = "/usr/bin/prometheus";
constexpr const char* kTool = "/usr/bin/promtool";
constexpr const char* kCurl = "/usr/bin/curl";

int free_port() {
  const int fd = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET, address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  close(fd);
  return ntohs(address.sin_port);
}

// A server on what promtool made of a text of OpenMetrics; ended with it.
class RealPrometheus {
 public:
  explicit RealPrometheus(const std::string& metrics) : port_(free_port()) {
    const std::string file = folder_.write("metrics.txt", metrics);
    const std::string data = folder_.path() + "/data";
    test::RunOptions tool;
    tool.program = kTool;
    const test::Ran made = test::run_tessera({"tsdb", "create-blocks-from", "openmetrics", file, data}, tool);
    EXPECT_EQ(made.code, 0) << made.out << made.err;
    Command command;
    command.argv = {kServer,
                    "--config.file=" + folder_.write("prometheus.yml", "scrape_configs: []\n"),
                    "--storage.tsdb.path=" + data,
                    "--storage.tsdb.retention.time=10y",
                    fmt::format("--web.listen-address=127.0.0.1:{}", port_),
                    "--log.level=error"};
    command.deadline = Duration{0};
    worker_.post([this, command] { processes_.run(command, [](const Result<Outcome>&) {}); });
    test::RunOptions curl;
    curl.program = kCurl;
    const test::Ran ready = test::run_tessera({"-sSf", "--retry", "50", "--retry-all-errors", "--retry-delay",
                                               "1", fmt::format("http://127.0.0.1:{}/-/ready", port_)},
                                              curl);
    EXPECT_EQ(ready.code, 0) << ready.err;
  }
  ~RealPrometheus() { worker_.stop(); }
  std::string url() const { return fmt::format("http://127.0.0.1:{}", port_); }

 private:
  test::Scratch folder_;
  int port_;
  Worker worker_;
  Processes processes_{worker_};
};

// A minute apart, in [from, to).
void add(std::string& text, const std::string& labels, TimePoint from, TimePoint to, double value) {
  for (TimePoint at = from; at < to; at += 1min)
    text += fmt::format("{} {} {}\n", labels, value, at.time_since_epoch() / 1s);
}

constexpr TimePoint kNow(std::chrono::sys_days(std::chrono::year(2026) / 3 / 10));

Result<usage::Reckoning> reckon(const RealPrometheus& server, Scheduler scheduler) {
  PastRoundsOptions options;
  options.of = {ClusterName("hpc"), &test::catalogue(), kNow};
  options.scheduler = scheduler;
  options.ask = ask_by_command_and_wait({{kCurl, "-sSf", "{url}"}, "{url}"}, server.url());
  options.node_of = node_by_short_name;
  options.rest = [](Duration) {};
  std::vector<std::unique_ptr<record::Recording>> all;
  all.push_back(past_rounds(std::move(options)));
  usage::Span span;
  span.since = 10h;
  return usage::reckon(all, span, test::catalogue());
}

bool is_missing(const char* program) { return access(program, X_OK) != 0; }

TEST(PastPrometheus, OfARealServerAnExportersOwnPodHoldsNoGpu) {
  if (is_missing(kServer) || is_missing(kTool) || is_missing(kCurl))
    GTEST_SKIP() << "prometheus is not installed";
  const std::string target = R"(instance="10.0.0.1:9400",namespace="gpu-operator",pod="dcgm-x1")";
  const std::string other = R"(instance="10.0.0.1:9400",namespace="ml",pod="a")";
  const std::string gpu = R"(modelName="NVIDIA H100 80GB HBM3",Hostname="n1")";
  std::string text = "# TYPE up gauge\n";
  add(text, "up{" + target + "}", kNow - 2h, kNow + 1min, 1);
  text += "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  add(text, "DCGM_FI_DEV_FB_USED{" + target + "," + gpu + R"(,gpu="0",UUID="GPU-0"})", kNow - 2h, kNow + 1min,
      0);
  add(text, "DCGM_FI_DEV_FB_USED{" + other + "," + gpu + R"(,gpu="1",UUID="GPU-1"})", kNow - 2h, kNow + 1min,
      9);
  RealPrometheus server(text + "# EOF\n");
  const auto read = reckon(server, Scheduler::kubernetes);
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->sums.at(usage::By::workload).size(), 1u);
  EXPECT_EQ(read->sums.at(usage::By::workload)[0].name, "ml/a");
  EXPECT_NEAR(read->sums.at(usage::By::workload)[0].gpu_hours, 2, 1e-6);
}

TEST(PastPrometheus, OfARealServerHoursUseMemoryAndGapsAreThoseThatWereKept) {
  if (is_missing(kServer) || is_missing(kTool) || is_missing(kCurl))
    GTEST_SKIP() << "prometheus is not installed";
  const TimePoint now = kNow;
  const std::string h100 = R"(modelName="NVIDIA H100 80GB HBM3",UUID="GPU-0",gpu="0",Hostname="n1")";
  const std::string active = "DCGM_FI_PROF_GR_ENGINE_ACTIVE{" + h100, used = "DCGM_FI_DEV_FB_USED{" + h100;
  std::string text = "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  // Job 7 for three hours; two hours in which the server was off; job 8 for one hour without use.
  add(text, used + R"(,hpc_job="7"})", now - 6h, now - 3h, 20'000);
  add(text, used + R"(,hpc_job="8"})", now - 1h, now + 1min, 60'000);
  text += "# TYPE DCGM_FI_PROF_GR_ENGINE_ACTIVE gauge\n";
  add(text, active + R"(,hpc_job="7"})", now - 6h, now - 3h, 0.42);
  add(text, active + R"(,hpc_job="8"})", now - 1h, now + 1min, 0);
  text += "# EOF\n";
  RealPrometheus server(text);
  const auto read = reckon(server, Scheduler::slurm);
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->sums.at(usage::By::workload).size(), 2u);
  const usage::Sum& seven = read->sums.at(usage::By::workload)[0];
  const usage::Sum& eight = read->sums.at(usage::By::workload)[1];
  EXPECT_EQ(seven.name, "7");
  // A series without a mark of its end counts for the five minutes in which Prometheus looks back.
  EXPECT_NEAR(seven.gpu_hours, 3, 6.0 / 60);
  EXPECT_NEAR(*seven.mean_use, 42, 0.01);
  EXPECT_EQ(*seven.p95_use, 45);
  EXPECT_EQ(seven.memory_peak, Mib{20'000});
  EXPECT_NEAR(seven.measured, seven.gpu_hours, 1e-9) << "each value was measured";
  const std::vector<usage::DemandPeak> peaks = read->demand.at(ClusterName("hpc")).peaks();
  ASSERT_EQ(peaks.size(), 1u);
  EXPECT_EQ(peaks[0].profile, "whole") << "one at a time, though two jobs had it";
  EXPECT_EQ(peaks[0].held, 1);
  EXPECT_EQ(peaks[0].waiting, 0);
  EXPECT_NEAR(eight.measured, 1, 1e-6);
  EXPECT_NEAR(eight.gpu_hours, 1 + 10.0 / 60, 1e-6) << "and the longest round before it";
  EXPECT_NEAR(eight.idle, 1, 1e-6);
  EXPECT_NEAR(*usage::coverage(read->sums.at(usage::By::workload)),
              100 * (seven.measured + 1) / (seven.gpu_hours + 1 + 10.0 / 60), 1e-6);
}

}  // namespace
}  // namespace tessera::figures
