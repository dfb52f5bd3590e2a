// What Prometheus kept of some days, as rounds: who held what by the names of its series, and how it is
// asked.
#include "backends/figures/past_rounds.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "engine/usage/reckoning.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::figures {
namespace past_rounds_test {

using namespace std::chrono_literals;

constexpr TimePoint kNow{Duration(1'764'000'000'000)};
constexpr const char* kH100 = R"("modelName":"NVIDIA H100 80GB HBM3")";

// A counter of one GPU, with a value for each time; nullopt: none then.
struct Kept {
  std::string counter, labels;
  std::function<std::optional<double>(TimePoint)> value;
};

// A server that keeps these, and the questions that it was asked.
struct Server {
  std::vector<Kept> kept;
  std::vector<std::string> asked;
  std::vector<Duration> rests;
  std::string scraped;  // series of the exporters' own pods
  Scheduler scheduler = Scheduler::slurm;
  std::int64_t series = -1;  // that it counts; -1: as many as there are

  static std::int64_t number(const std::string& path, const std::string& key) {
    return std::stoll(path.substr(path.find("&" + key + "=") + key.size() + 2));
  }
  std::string answer(const std::string& path) const {
    if (path.find("group%20by") != std::string::npos)
      return R"({"status":"success","data":{"resultType":"matrix","result":[)" + scraped + "]}}";
    if (!path.starts_with("/api/v1/query_range"))
      return fmt::format(
          R"({{"status":"success","data":{{"resultType":"vector","result":[{{"metric":{{}},"value":[1,"{}"]}}]}}}})",
          series < 0 ? std::ssize(kept) : series);
    std::string all;
    for (const Kept& one : kept) {
      std::string values;
      for (std::int64_t at = number(path, "start"); at <= number(path, "end"); at += number(path, "step"))
        if (const auto value = one.value(TimePoint(std::chrono::seconds(at))))
          values += fmt::format(R"({}[{},"{}"])", values.empty() ? "" : ",", at, *value);
      if (!values.empty())
        all += fmt::format(R"({}{{"metric":{{"__name__":"{}",{}}},"values":[{}]}})", all.empty() ? "" : ",",
                           one.counter, one.labels, values);
    }
    return R"({"status":"success","data":{"resultType":"matrix","result":[)" + all + "]}}";
  }
  std::unique_ptr<usage::KeptUse> open() {
    PastRoundsOptions options;
    options.of.cluster = ClusterName("hpc");
    options.ask = [this](const std::string& path) -> Result<HttpResponse> {
      asked.push_back(path);
      HttpResponse response;
      response.status = 200, response.body = answer(path);
      return response;
    };
    options.node_of = node_by_short_name;
    options.scheduler = scheduler;
    options.of.catalogue = &test::catalogue();
    options.of.until = kNow;
    options.rest = [this](Duration time) { rests.push_back(time); };
    return past_rounds(std::move(options));
  }
  std::size_t ranges() const {
    return static_cast<std::size_t>(std::count_if(asked.begin(), asked.end(), [](const std::string& path) {
      return path.starts_with("/api/v1/query_range");
    }));
  }
};

std::string gpu(const std::string& node, int index, const std::string& more) {
  return fmt::format(R"("Hostname":"{}","gpu":"{}","UUID":"GPU-{}{}",{}{})", node, index, node, index, kH100,
                     more);
}

constexpr const char* kActive = "DCGM_FI_PROF_GR_ENGINE_ACTIVE";
constexpr const char* kUsed = "DCGM_FI_DEV_FB_USED";

std::function<std::optional<double>(TimePoint)> always(double value) {
  return [value](TimePoint) { return std::optional(value); };
}

Result<usage::Reckoning> reckon(Server& server, Duration since, usage::KeptTold* told = nullptr,
                                bool unnamed = false) {
  std::vector<std::unique_ptr<record::Recording>> all;
  auto kept = server.open();
  if (unnamed) kept->count_unnamed();
  usage::KeptUse* last = kept.get();
  all.push_back(std::move(kept));
  usage::Span span;
  span.since = since;
  auto read = usage::reckon(all, span, test::catalogue());
  if (told) *told = last->told();
  return read;
}

const usage::Sum* find(const usage::Reckoning& read, usage::By by, const std::string& name) {
  for (const usage::Sum& one : read.sums.at(by))
    if (one.name == name) return &one;
  return nullptr;
}

TEST(PastRounds, AJobHoldsWhatItsSeriesNameAndForAsLongAsTheyDo) {
  Server server;
  // Job 7 for the first half of ten hours at 40 %, then nobody; job 8 all the time at 90 %.
  const TimePoint half = kNow - 5h;
  server.kept = {{kActive, gpu("n1.site", 0, R"(,"hpc_job":"7")"),
                  [half](TimePoint at) { return at <= half ? std::optional(0.4) : std::nullopt; }},
                 {kUsed, gpu("n1.site", 0, R"(,"hpc_job":"7")"),
                  [half](TimePoint at) { return at <= half ? std::optional(20'000.0) : std::nullopt; }},
                 {kActive, gpu("n1.site", 0, ""),
                  [half](TimePoint at) { return at > half ? std::optional(0.0) : std::nullopt; }},
                 {kActive, gpu("n1.site", 1, R"(,"hpc_job":"8")"), always(0.9)}};
  usage::KeptTold told;
  auto read = reckon(server, 10h, &told);
  ASSERT_TRUE(read) << read.error().reason;
  const usage::Sum* seven = find(*read, usage::By::workload, "7");
  ASSERT_TRUE(seven);
  EXPECT_NEAR(seven->gpu_hours, 5, 1e-6);
  EXPECT_NEAR(seven->measured, 5, 1e-6);
  EXPECT_NEAR(*seven->mean_use, 40, 1e-3);
  EXPECT_EQ(*seven->p95_use, 45) << "it stayed below that";
  EXPECT_EQ(seven->memory_peak, Mib{20'000});
  EXPECT_NEAR(find(*read, usage::By::workload, "8")->gpu_hours, 10, 1e-6);
  EXPECT_NEAR(find(*read, usage::By::node, "n1")->gpu_hours, 15, 1e-6) << "its domain is no part of its name";
  EXPECT_NEAR(find(*read, usage::By::node, "n1")->slice_hours, 15 * 8, 1e-6);
  EXPECT_TRUE(told.names_work);
  EXPECT_NEAR(told.unnamed, 5, 1e-6) << "the second half of GPU 0";
  EXPECT_EQ(read->waste.front().kind, "too-big") << "job 7 would fit a smaller profile";
}

// Nine minutes without any value counted as held, since a recorder's rounds may be ten apart.
TEST(PastRounds, AHoleOfAFewMinutesIsNotHeldEither) {
  Server server;
  const TimePoint down = kNow - 60min;
  const auto value = [down](TimePoint at) {
    return at > down && at < down + 9min ? std::nullopt : std::optional(0.5);
  };
  server.kept = {{kActive, gpu("n1.site", 0, R"(,"hpc_job":"7")"), value}};
  auto read = reckon(server, 2h);
  ASSERT_TRUE(read) << read.error().reason;
  const usage::Sum* seven = find(*read, usage::By::workload, "7");
  ASSERT_TRUE(seven);
  EXPECT_NEAR(seven->measured, 2 - 9.0 / 60, 1e-6);
  EXPECT_NEAR(seven->gpu_hours, 2 - 9.0 / 60, 1e-6);
  EXPECT_NEAR(read->hours, 2 - 9.0 / 60, 1e-6);
  EXPECT_EQ(read->gaps.count, 1);
}

TEST(PastRounds, APodHoldsAnInstanceByItsPartAndItsNamespaceIsTheGroup) {
  Server server;
  const std::string instance = gpu(
      "n1", 0, R"(,"GPU_I_ID":"2","GPU_I_PROFILE":"3g.40gb","exported_namespace":"ml","exported_pod":"a")");
  server.kept = {{kActive, instance, always(0.5)}, {kUsed, instance, always(1'000)}};
  auto read = reckon(server, 2h);
  ASSERT_TRUE(read);
  const usage::Sum* ml = find(*read, usage::By::group, "ml");
  ASSERT_TRUE(ml);
  EXPECT_NEAR(ml->gpu_hours, 2 * 3.0 / 7, 1e-6);
  EXPECT_NEAR(ml->slice_hours, 2 * 4, 1e-6);
  EXPECT_NEAR(find(*read, usage::By::profile, "3g.40gb")->measured, ml->gpu_hours, 1e-9);
  ASSERT_TRUE(find(*read, usage::By::workload, "ml/a"));
}

// A scrape that adds its target's labels gives a GPU that no pod holds those of the exporter itself.
TEST(PastRounds, AnExportersOwnPodHoldsNoGpu) {
  Server server;
  server.scheduler = Scheduler::kubernetes;
  const std::string own = R"("namespace":"gpu-operator","pod":"dcgm-x1")";
  server.kept = {{kActive, gpu("n1", 0, "," + own), always(0)},
                 {kActive, gpu("n1", 1, R"(,"namespace":"ml","pod":"a")"), always(0.5)}};
  usage::KeptTold told;
  ASSERT_TRUE(reckon(server, 2h));
  EXPECT_TRUE(find(*reckon(server, 2h), usage::By::workload, "gpu-operator/dcgm-x1"))
      << "who that is, only up says";
  server.scraped = R"({"metric":{)" + own + R"(},"values":[[1764000000,"1"]]})";
  const auto read = reckon(server, 2h, &told);
  ASSERT_TRUE(read);
  ASSERT_EQ(read->sums.at(usage::By::workload).size(), 1u);
  EXPECT_EQ(read->sums.at(usage::By::workload)[0].name, "ml/a");
  EXPECT_NEAR(told.unnamed, 2 + 1.0 / 60, 1e-6);
}

TEST(PastRounds, ATimeOfWhichNothingWasKeptIsNotHeldAndNotMeasured) {
  Server server;
  server.kept = {{kActive, gpu("n1", 0, R"(,"hpc_job":"7")"), [](TimePoint at) {
                    const bool away = at > kNow - 6h && at < kNow - 2h;  // the server was off
                    return away ? std::nullopt : std::optional(0.0);
                  }}};
  auto read = reckon(server, 10h);
  ASSERT_TRUE(read);
  EXPECT_NEAR(find(*read, usage::By::workload, "7")->gpu_hours, 6, 1e-6);
  EXPECT_NEAR(find(*read, usage::By::workload, "7")->idle, 6, 1e-6);
}

TEST(PastRounds, SeveralJobsOnOneGpuShareIt) {
  Server server;
  for (const char* job : {"7", "8"})
    server.kept.push_back({kActive, gpu("n1", 0, fmt::format(R"(,"hpc_job":"{}")", job)), always(0.5)});
  auto read = reckon(server, 2h);
  ASSERT_TRUE(read);
  EXPECT_NEAR(find(*read, usage::By::node, "n1")->gpu_hours, 2, 1e-6) << "a GPU is no more than a GPU";
  EXPECT_NEAR(find(*read, usage::By::node, "n1")->measured, 0, 1e-9) << "whose use that was is not told";
}

TEST(PastRounds, SeveralPodsOnOneGpuShareItAndItIsNotFree) {
  Server server;
  server.scheduler = Scheduler::kubernetes;
  for (const char* pod : {"a", "b"})
    server.kept.push_back(
        {kActive, gpu("n1", 0, fmt::format(R"(,"namespace":"ml","pod":"{}")", pod)), always(0.5)});
  usage::KeptTold told;
  auto read = reckon(server, 2h, &told);
  ASSERT_TRUE(read);
  EXPECT_NEAR(find(*read, usage::By::node, "n1")->gpu_hours, 2, 1e-6) << "a GPU is no more than a GPU";
  for (const char* pod : {"ml/a", "ml/b"}) {
    const usage::Sum* one = find(*read, usage::By::workload, pod);
    ASSERT_TRUE(one) << pod;
    EXPECT_NEAR(one->gpu_hours, 1, 1e-6) << pod;
    EXPECT_NEAR(one->measured, 0, 1e-9) << "whose use that was is not told";
  }
  EXPECT_NEAR(told.unnamed, 0, 1e-9);
  EXPECT_NEAR(told.shared, 0, 1e-9);
}

TEST(PastRounds, AnInstanceThatSeveralPodsShareIsCountedForNoneAndItsHoursAreTold) {
  Server server;
  server.scheduler = Scheduler::kubernetes;
  for (const char* pod : {"a", "b"})
    server.kept.push_back(
        {kActive,
         gpu("n1", 0,
             fmt::format(R"(,"GPU_I_ID":"2","GPU_I_PROFILE":"3g.40gb","namespace":"ml","pod":"{}")", pod)),
         always(0.5)});
  usage::KeptTold told;
  auto read = reckon(server, 2h, &told);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->sums.at(usage::By::workload).empty());
  EXPECT_TRUE(told.names_work) << "they are named, all the same";
  EXPECT_NEAR(told.unnamed, 0, 1e-9);
  EXPECT_NEAR(told.shared, 2 + 1.0 / 60, 1e-6);
}

TEST(PastRounds, WhereNoSeriesNamesAnyoneUseIsKnownOnRequestAndWhatWasHeldIsNot) {
  Server server;
  server.kept = {{kActive, gpu("n1", 0, ""), always(0.3)}};
  usage::KeptTold told;
  auto read = reckon(server, 2h, &told);
  ASSERT_TRUE(read);
  EXPECT_TRUE(read->sums.at(usage::By::node).empty());
  EXPECT_FALSE(told.names_work);
  read = reckon(server, 2h, &told, true);
  ASSERT_TRUE(read);
  EXPECT_NEAR(find(*read, usage::By::node, "n1")->measured, 2, 1e-6);
  EXPECT_NEAR(*find(*read, usage::By::node, "n1")->mean_use, 30, 1e-3);
  EXPECT_FALSE(told.names_work);
}

TEST(PastRounds, AreAskedForInPiecesThatCanBeHeldAndWithAPauseAfterEach) {
  Server server;
  server.kept = {{kActive, gpu("n1", 0, R"(,"hpc_job":"7")"), always(0.5)}};
  auto read = reckon(server, 24h * 7);
  ASSERT_TRUE(read);
  EXPECT_EQ(server.ranges(), 8u) << "a day at a time, and the last value";
  for (const std::string& path : server.asked)
    if (path.starts_with("/api/v1/query_range")) {
      EXPECT_EQ(Server::number(path, "step"), 300);
      EXPECT_LE(Server::number(path, "end") - Server::number(path, "start"), 86'400);
    }
  EXPECT_EQ(server.rests.size(), server.asked.size() - 1) << "before each question but the first";
  EXPECT_NEAR(find(*read, usage::By::workload, "7")->gpu_hours, 7 * 24, 1e-6)
      << "no value is lost between two";
  server.asked.clear();
  server.series = 20'000;  // a site of thousands of GPUs
  ASSERT_TRUE(reckon(server, 24h * 7));
  for (const std::string& path : server.asked)
    if (path.starts_with("/api/v1/query_range"))
      EXPECT_LE((Server::number(path, "end") - Server::number(path, "start")) / 300 + 1, 20);
}

TEST(PastRounds, AShortTimeIsReadFinely) {
  Server server;
  server.kept = {{kActive, gpu("n1", 0, R"(,"hpc_job":"7")"), always(0.5)}};
  usage::KeptTold told;
  ASSERT_TRUE(reckon(server, 24h, &told));
  EXPECT_EQ(told.step, Duration(60'000));
  EXPECT_EQ(told.cost.commands, std::ssize(server.asked));
  EXPECT_GT(told.cost.bytes, 0);
}

TEST(PastRounds, WhatTheServerRefusesIsAnErrorInItsWordsAndNotNothing) {
  PastRoundsOptions options;
  options.of.cluster = ClusterName("hpc");
  options.ask = [](const std::string&) -> Result<HttpResponse> {
    HttpResponse response;
    response.status = 422;
    response.body =
        R"({"status":"error","errorType":"execution","error":"query processing would load too many samples"})";
    return response;
  };
  options.node_of = node_by_short_name, options.of.catalogue = &test::catalogue(), options.of.until = kNow;
  options.rest = [](Duration) {};
  std::vector<std::unique_ptr<record::Recording>> all;
  all.push_back(past_rounds(std::move(options)));
  const auto read = usage::reckon(all, {}, test::catalogue());
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "cannot read what Prometheus kept");
  EXPECT_NE(read.error().reason.find("too many samples"), std::string::npos) << read.error().reason;
}

TEST(PastRounds, SeriesOfNodesThatAreNotKnownAreCountedAndNotAdded) {
  Server server;
  server.kept = {
      {kActive, R"("instance":"10.0.0.1:9400","gpu":"0","UUID":"GPU-0","hpc_job":"7")", always(0.5)}};
  usage::KeptTold told;
  auto read = reckon(server, 2h, &told);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->from, TimePoint{}) << "an address is no name";
  EXPECT_GT(told.strange, 0u);
}

}  // namespace past_rounds_test
}  // namespace tessera::figures
