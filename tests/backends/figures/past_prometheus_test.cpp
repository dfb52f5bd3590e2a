// The past of a real Prometheus, whose blocks are written by its own promtool: hours, use and gaps by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "backends/figures/ask_and_wait.hpp"
#include "backends/figures/past_rounds.hpp"
#include "engine/usage/reckoning.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/real_prometheus.hpp"

namespace tessera::figures {
namespace {

using namespace std::chrono_literals;
using test::add_values;
using test::RealPrometheus;

constexpr TimePoint kNow(std::chrono::sys_days(std::chrono::year(2026) / 3 / 10));

Result<usage::Reckoning> reckon(const RealPrometheus& server, Scheduler scheduler) {
  PastRoundsOptions options;
  options.of = {ClusterName("hpc"), &test::catalogue(), kNow};
  options.scheduler = scheduler;
  options.ask = ask_by_command_and_wait({{test::kCurl, "-sSf", "{url}"}, "{url}"}, server.url());
  options.node_of = node_by_short_name;
  options.rest = [](Duration) {};
  std::vector<std::unique_ptr<record::Recording>> all;
  all.push_back(past_rounds(std::move(options)));
  usage::Span span;
  span.since = 10h;
  return usage::reckon(all, span, test::catalogue());
}

// Its answer may take a minute, for which nobody waits any more.
TEST(PastPrometheus, AQuestionThatIsGivenUpEndsAtOnce) {
  std::atomic<bool> stopped = false;
  auto ask =
      ask_by_command_and_wait({{"/bin/sleep", "1000{url}"}, "{url}"}, "", [&] { return stopped.load(); });
  std::thread other([&] { stopped = true; });
  const auto came = ask("");
  other.join();
  ASSERT_FALSE(came);
  EXPECT_EQ(came.error().reason, "it was given up");
}

TEST(PastPrometheus, OfARealServerAnExportersOwnPodHoldsNoGpu) {
  if (test::prometheus_is_missing()) GTEST_SKIP() << test::kNeedsPrometheus;
  const std::string target = R"(instance="10.0.0.1:9400",namespace="gpu-operator",pod="dcgm-x1")";
  const std::string other = R"(instance="10.0.0.1:9400",namespace="ml",pod="a")";
  const std::string gpu = R"(modelName="NVIDIA H100 80GB HBM3",Hostname="n1")";
  std::string text = "# TYPE up gauge\n";
  add_values(text, "up{" + target + "}", kNow - 2h, kNow + 1min, 1);
  text += "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  add_values(text, "DCGM_FI_DEV_FB_USED{" + target + "," + gpu + R"(,gpu="0",UUID="GPU-0"})", kNow - 2h,
             kNow + 1min, 0);
  add_values(text, "DCGM_FI_DEV_FB_USED{" + other + "," + gpu + R"(,gpu="1",UUID="GPU-1"})", kNow - 2h,
             kNow + 1min, 9);
  RealPrometheus server(text + "# EOF\n");
  const auto read = reckon(server, Scheduler::kubernetes);
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->sums.at(usage::By::workload).size(), 1u);
  EXPECT_EQ(read->sums.at(usage::By::workload)[0].name, "ml/a");
  EXPECT_NEAR(read->sums.at(usage::By::workload)[0].gpu_hours, 2, 1e-6);
}

TEST(PastPrometheus, OfARealServerTheChartOfAClusterIsOneQuestion) {
  if (test::prometheus_is_missing()) GTEST_SKIP() << test::kNeedsPrometheus;
  const std::string target = R"(instance="10.0.0.1:9400",namespace="gpu-operator",pod="dcgm-x1")";
  const std::string other = R"(instance="10.0.0.1:9400",namespace="ml",pod="a")";
  const std::string free = target + R"(,Hostname="n1",gpu="0",UUID="GPU-0")";
  const std::string held = other + R"(,Hostname="n1",gpu="1",UUID="GPU-1")";
  std::string text = "# TYPE up gauge\n";
  add_values(text, "up{" + target + "}", kNow - 2h, kNow + 1min, 1);
  text += "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  add_values(text, "DCGM_FI_DEV_FB_USED{" + free + "}", kNow - 2h, kNow + 1min, 0);
  add_values(text, "DCGM_FI_DEV_FB_USED{" + held + "}", kNow - 2h, kNow + 1min, 9);
  text += "# TYPE DCGM_FI_PROF_GR_ENGINE_ACTIVE gauge\n";
  add_values(text, "DCGM_FI_PROF_GR_ENGINE_ACTIVE{" + held + "}", kNow - 2h, kNow + 1min, 0.25);
  // Of this one the driver alone tells the use.
  text += "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n";
  add_values(text, "DCGM_FI_DEV_GPU_UTIL{" + free + "}", kNow - 2h, kNow + 1min, 0);
  add_values(text, "DCGM_FI_DEV_GPU_UTIL{" + held + "}", kNow - 2h, kNow + 1min, 99);
  RealPrometheus server(text + "# EOF\n");
  const auto ask = ask_by_command_and_wait({{test::kCurl, "-sSf", "{url}"}, "{url}"}, server.url());
  const auto came = ask(path_of_held_before(kNow - 1h, kNow, 60s));
  ASSERT_TRUE(came) << to_line(came.error());
  JsonDocument document;
  const auto kept = sums_before(document, came->body, node_by_short_name, &test::catalogue());
  ASSERT_TRUE(kept) << to_line(kept.error());
  EXPECT_EQ(kept->slices, 2) << "each GPU once, by one of its two figures";
  ASSERT_EQ(kept->sums.size(), 61U);
  for (const history::Sums& one : kept->sums) {
    EXPECT_EQ(one.held, 50.0F);
    EXPECT_NEAR(one.used.value_or(-1), 25, 1e-3);
  }
}

TEST(PastPrometheus, OfARealServerHoursUseMemoryAndGapsAreThoseThatWereKept) {
  if (test::prometheus_is_missing()) GTEST_SKIP() << test::kNeedsPrometheus;
  const TimePoint now = kNow;
  const std::string h100 = R"(modelName="NVIDIA H100 80GB HBM3",UUID="GPU-0",gpu="0",Hostname="n1")";
  const std::string active = "DCGM_FI_PROF_GR_ENGINE_ACTIVE{" + h100, used = "DCGM_FI_DEV_FB_USED{" + h100;
  std::string text = "# TYPE DCGM_FI_DEV_FB_USED gauge\n";
  // Job 7 for three hours; two hours in which the server was off; job 8 for one hour without use.
  add_values(text, used + R"(,hpc_job="7"})", now - 6h, now - 3h, 20'000);
  add_values(text, used + R"(,hpc_job="8"})", now - 1h, now + 1min, 60'000);
  text += "# TYPE DCGM_FI_PROF_GR_ENGINE_ACTIVE gauge\n";
  add_values(text, active + R"(,hpc_job="7"})", now - 6h, now - 3h, 0.42);
  add_values(text, active + R"(,hpc_job="8"})", now - 1h, now + 1min, 0);
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
  EXPECT_NEAR(eight.gpu_hours, 1, 1e-6) << "and nothing of the two hours before it";
  EXPECT_NEAR(eight.idle, 1, 1e-6);
  EXPECT_NEAR(*usage::coverage(read->sums.at(usage::By::workload)), 100, 1e-6);
}

}  // namespace
}  // namespace tessera::figures
