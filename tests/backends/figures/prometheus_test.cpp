// Prometheus: the questions, its answers, and what goes wrong with them. Recorded answers are of Prometheus
// 2.42 that scraped the simulator's exporter (tests/fixtures/prometheus).
#include "backends/figures/prometheus.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <deque>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

#include "backends/figures/prometheus_backend.hpp"
#include "backends/figures/sources.hpp"
#include "tests/support/build.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/paths.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"
#include "tests/support/watch.hpp"

namespace tessera::figures {
namespace prometheus_test {

using std::chrono_literals::operator""s;

constexpr TimePoint kAsked{Duration(1'764'000'100'000)};

std::string recorded(const std::string& name) {
  std::ifstream stream(test::source_dir() + "/tests/fixtures/prometheus/" + name, std::ios::binary);
  EXPECT_TRUE(stream) << name;
  return {std::istreambuf_iterator<char>(stream), {}};
}

// A series of an instant query.
std::string series(const std::string& counter, const std::string& labels, const std::string& value,
                   const std::string& node = R"("Hostname":"n1")") {
  return R"({"metric":{"__name__":")" + counter + R"(",)" + node + R"(,"gpu":"0","UUID":"GPU-0")" + labels +
         R"(},"value":[1764000100.5,")" + value + R"("]})";
}
std::string answer(const std::vector<std::string>& all, const std::string& type = "vector") {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ",") + one;
  return R"({"status":"success","data":{"resultType":")" + type + R"(","result":[)" + text + "]}}";
}
constexpr const char* kActive = "DCGM_FI_PROF_GR_ENGINE_ACTIVE";
constexpr const char* kUsed = "DCGM_FI_DEV_FB_USED";
constexpr const char* kUtil = "DCGM_FI_DEV_GPU_UTIL";

SeriesNode of_any(const MetricLine& line) {
  return node_by_labels(line,
                        [](std::string_view name) { return std::string(name.substr(0, name.find('.'))); });
}
Result<FiguresNow> now_of(const std::string& text) {
  JsonDocument document;
  return figures_now(document, text, of_any, kAsked);
}
Error error_of(const std::string& text) {
  auto now = now_of(text);
  EXPECT_FALSE(now) << text;
  return now ? Error{} : now.error();
}

TEST(PrometheusFigures, BothSpellingsOfLabelsAreUnderstood) {
  for (const char* node :
       {R"("Hostname":"n1")", R"("hostname":"n1.site.org")", R"("node":"n1","Hostname":"pod-7")",
        R"("instance":"n1:9400")", R"("nodename":"n1")"}) {
    auto now = now_of(answer({series(kActive, "", "0.25", node), series(kUsed, "", "1024", node)}));
    ASSERT_TRUE(now) << node;
    ASSERT_EQ(now->nodes.size(), 1u) << node;
    EXPECT_EQ(now->nodes[0].node.node, "n1") << node;
    EXPECT_EQ(now->nodes[0].readings.parts.at(0).use, Percent{25}) << node;
    EXPECT_EQ(now->nodes[0].readings.parts.at(0).memory_used, Mib{1024}) << node;
    EXPECT_TRUE(now->nodes[0].readings.from.empty());
  }
}

TEST(PrometheusFigures, SlicesAreToldByTheirInstanceAndNeverByGpuUtil) {
  const std::string first =
                        R"(,"GPU_I_ID":"1","GPU_I_PROFILE":"3g.40gb","modelName":"NVIDIA H100 80GB HBM3")",
                    second =
                        R"(,"GPU_I_ID":"2","GPU_I_PROFILE":"4g.40gb","modelName":"NVIDIA H100 80GB HBM3")";
  auto now = now_of(
      answer({series(kUtil, "", "99"), series(kUtil, first, "98"), series(kActive, first, "0.7"),
              series(kActive, second, "0.35"), series(kUsed, first, "100"), series(kUsed, second, "200")}));
  ASSERT_TRUE(now);
  const DcgmReadings& readings = now->nodes.at(0).readings;
  ASSERT_EQ(readings.parts.size(), 3u);
  EXPECT_FALSE(readings.parts[0].use) << "GPU_UTIL does not exist under MIG";
  EXPECT_EQ(readings.parts[1].use, Percent{70});
  const Measured told = measured_of(NodeName("n1"), readings, &test::catalogue());
  ASSERT_EQ(told.gpus.size(), 1u);
  ASSERT_TRUE(told.gpus[0].figures.use);
  EXPECT_NEAR(told.gpus[0].figures.use->value, (70 * 3 + 35 * 4) / 7.0, 0.01)
      << "the sum of parts, not the mean";
  EXPECT_EQ(told.gpus[0].figures.memory_used, Mib{300});
  ASSERT_EQ(told.gpus[0].slices.size(), 2u);
  EXPECT_EQ(told.gpus[0].slices[1].instance_id, 2);
}

// A site's job mapping: a series stands once for each job.
TEST(PrometheusFigures, WhoseASeriesIsIsToldAsByAnExporter) {
  const std::string instance = R"(,"GPU_I_ID":"7","GPU_I_PROFILE":"1g.10gb","hpc_job":")";
  auto now =
      now_of(answer({series(kUsed, instance + R"(12")", "5"), series(kActive, instance + R"(12")", "0.5"),
                     series(kUsed, instance + R"(13")", "5"),
                     series(kUsed, R"(,"GPU_I_ID":"8","GPU_I_PROFILE":"1g.10gb","hpc_job":"14")", "5"),
                     series(kUsed, R"(,"GPU_I_ID":"9","GPU_I_PROFILE":"1g.10gb")", "5")}));
  ASSERT_TRUE(now) << to_line(now.error());
  ASSERT_EQ(now->nodes.size(), 1U);
  const std::vector<DcgmPart>& parts = now->nodes[0].readings.parts;
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].jobs, (std::vector<std::string>{"12", "13"}));
  EXPECT_EQ(parts[0].use, Percent{50}) << "two series of one instance are one figure";
  EXPECT_FALSE(parts[0].doubtful);
  EXPECT_EQ(parts[1].jobs, std::vector<std::string>{"14"});
  EXPECT_TRUE(parts[2].jobs.empty());
}

TEST(PrometheusFigures, JobsAreAskedForNowAndNotInThePast) {
  EXPECT_NE(path_of_figures_now().find("hpc_job"), std::string::npos);
  EXPECT_EQ(path_of_figures_before({"n1", {{"node", "n1"}}}, kAsked - 3600s, kAsked, 15s).find("hpc_job"),
            std::string::npos)
      << "it would be a series more for each job that was";
}

TEST(PrometheusFigures, ValuesThatAreNoNumbersAreUnknown) {
  for (const char* value : {"NaN", "+Inf", "-Inf", "9223372036854775794", "-1"}) {
    auto now = now_of(answer({series(kActive, "", value), series(kUsed, "", "5")}));
    ASSERT_TRUE(now) << value;
    EXPECT_FALSE(now->nodes.at(0).readings.parts.at(0).use) << value;
  }
}

TEST(PrometheusFigures, ANodesFiguresAreAsOldAsItsLastScrapeSays) {
  const std::string
      dated = R"({"metric":{"tessera":"time","Hostname":"n1"},"value":[1764000100.5,"1764000087.25"]})",
      ahead = R"({"metric":{"tessera":"time","Hostname":"n2"},"value":[1764000100.5,"1764009999"]})";
  auto now = now_of(
      answer({series(kActive, "", "0.5"), series(kActive, "", "0.5", R"("Hostname":"n2")"), dated, ahead}));
  ASSERT_TRUE(now);
  ASSERT_EQ(now->nodes.size(), 2u);
  EXPECT_EQ(now->nodes[0].readings.at, TimePoint(Duration(1'764'000'087'250)));
  EXPECT_EQ(now->nodes[1].readings.at, kAsked) << "a clock that is ahead makes nothing newer than now";
}

TEST(PrometheusFigures, TwoGpusOfOneNumberAreDoubtfulAndNotMixed) {
  auto now = now_of(
      answer({series(kActive, "", "0.5"),
              R"({"metric":{"__name__":"DCGM_FI_DEV_FB_USED","Hostname":"n1","gpu":"0","UUID":"GPU-9",)"
              R"("cluster":"other"},"value":[1764000100,"77"]})"}));
  ASSERT_TRUE(now);
  EXPECT_FALSE(now->nodes.at(0).readings.parts.at(0).use);
  EXPECT_FALSE(now->nodes.at(0).readings.parts.at(0).memory_used);
  EXPECT_EQ(now->skipped, 1u);
  EXPECT_NE(now->problem.find("two GPUs"), std::string::npos);
}

TEST(PrometheusFigures, WhatCannotBeReadSaysSoWithItsPlace) {
  EXPECT_EQ(error_of("<html>login</html>").hint, "something else answers there: a proxy or a login page");
  EXPECT_NE(error_of("").reason.find("it is empty"), std::string::npos);
  const std::string whole = answer({series(kActive, "", "0.5"), series(kUsed, "", "5")});
  for (std::size_t cut : {std::size_t{20}, whole.size() / 2, whole.size() - 1})
    EXPECT_EQ(error_of(whole.substr(0, cut)).what, "cannot read Prometheus's answer") << cut;
  EXPECT_EQ(error_of(R"({"status":"error","errorType":"bad_data","error":"1:2: parse\u001b[31m"})").reason,
            "bad_data: 1:2: parse\xC2\xB7[31m");
  EXPECT_NE(error_of(answer({}, "scalar")).reason.find("\"scalar\""), std::string::npos);
  EXPECT_NE(error_of("{}").reason.find("no status"), std::string::npos);
  auto partly = now_of(answer({series(kActive, "", "0.5"), R"({"metric":{},"value":["x","1"]})", "7"}));
  ASSERT_TRUE(partly);
  EXPECT_EQ(partly->skipped, 2u);
  EXPECT_EQ(partly->problem, "series 2: a sample has no time or no number");
}

TEST(PrometheusFigures, ThePastOfANodeHasGapsWhereASeriesHasNone) {
  JsonDocument document;
  auto rounds = figures_before(
      document, answer({R"({"metric":{"__name__":"DCGM_FI_PROF_GR_ENGINE_ACTIVE","Hostname":"n1","gpu":"0"},)"
                        R"("values":[[100,"0.1"],[160,"0.2"]]})",
                        R"({"metric":{"__name__":"DCGM_FI_DEV_FB_USED","Hostname":"n1","gpu":"0"},)"
                        R"("values":[[100,"10"],[220,"30"]]})"},
                       "matrix"));
  ASSERT_TRUE(rounds) << to_line(rounds.error());
  ASSERT_EQ(rounds->size(), 3u);
  EXPECT_EQ((*rounds)[1].at, TimePoint(160s));
  EXPECT_EQ((*rounds)[1].parts[0].use, Percent{20});
  EXPECT_FALSE((*rounds)[1].parts[0].memory_used);
  EXPECT_FALSE((*rounds)[2].parts[0].use);
}

// A series of a range query.
std::string over_time(const std::string& counter, const std::string& labels, const std::string& values) {
  return R"({"metric":{"__name__":")" + counter + R"(","Hostname":"n1",)" + labels + R"(},"values":[)" +
         values + "]}";
}
// What was scraped for such series.
std::string target(const std::string& labels) {
  return R"({"metric":{"tessera":"scraped")" + labels + R"(},"values":[[100,"1"]]})";
}
history::SumsBefore sums_of(const std::vector<std::string>& all) {
  JsonDocument document;
  auto sums = sums_before(document, answer(all, "matrix"), of_any, &test::catalogue());
  EXPECT_TRUE(sums) << to_line(sums.error());
  return sums ? *sums : history::SumsBefore();
}
const std::string kPlain0 = R"("gpu":"0","UUID":"GPU-0","namespace":"ml","pod":"a")";

TEST(PrometheusSums, AreOfTheGpusThatTheirSeriesNameAndHaveAGapWhereOneIsMissing) {
  const std::string held = R"("gpu":"0","UUID":"GPU-0","namespace":"op","pod":"dcgm",)"
                           R"("exported_namespace":"ml","exported_pod":"a")";
  const std::string free = R"("gpu":"1","UUID":"GPU-1","namespace":"op","pod":"dcgm")";
  const history::SumsBefore kept =
      sums_of({over_time(kActive, held, R"([100,"0.5"],[160,"0.7"],[220,"0.9"])"),
               over_time(kActive, free, R"([100,"0"],[160,"0"])"), target("")});
  EXPECT_EQ(kept.slices, 2);
  ASSERT_EQ(kept.sums.size(), 2U) << "of one GPU alone nothing is said";
  EXPECT_EQ(kept.sums[0].at, TimePoint(100s));
  EXPECT_EQ(kept.sums[0].held, 50.0F) << "the exporter's own pod holds nothing";
  EXPECT_NEAR(kept.sums[0].used.value_or(-1), 50, 1e-3) << "of the GPU on which work runs";
  EXPECT_NEAR(kept.sums[1].used.value_or(-1), 70, 1e-3);
}

TEST(PrometheusSums, AnInstanceUsesItsPartOfAGpu) {
  const std::string gpu = R"("gpu":"0","UUID":"GPU-0","modelName":"NVIDIA H100 80GB HBM3",)";
  const std::string three = R"("GPU_I_PROFILE":"3g.40gb","GPU_I_ID":")";
  const history::SumsBefore kept =
      sums_of({over_time(kActive, gpu + three + R"(1","hpc_job":"12")", R"([100,"0.7"])"),
               over_time(kActive, gpu + three + R"(2")", R"([100,"0"])")});
  EXPECT_EQ(kept.slices, 2);
  ASSERT_EQ(kept.sums.size(), 1U);
  EXPECT_EQ(kept.sums[0].held, 50.0F);
  EXPECT_NEAR(kept.sums[0].used.value_or(-1), 30, 1e-3) << "three sevenths of 70 %";
}

// Of a cluster that is full a pod that stands on each GPU looks as if it held them all.
TEST(PrometheusSums, PodsCountWhereItIsKnownWhichOfThemAreTheExporters) {
  const std::string series = over_time(kActive, kPlain0, R"([100,"0.5"])");
  EXPECT_TRUE(sums_of({series}).sums.empty()) << "nothing tells what was scraped";
  EXPECT_TRUE(sums_of({series, target(R"(,"namespace":"ml","pod":"a")")}).sums.empty());
  ASSERT_EQ(sums_of({series, target("")}).sums.size(), 1U) << "targets have no pods";
  EXPECT_EQ(sums_of({series, target("")}).sums[0].held, 100.0F);
}

TEST(PrometheusFigures, StatusesSayWhatToDo) {
  JsonDocument document;
  const auto explained = [&](int status, std::string body = "") {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    return explain_prometheus(document, response);
  };
  EXPECT_NE(explained(401, "Unauthorized\n").reason.find("it requires a login (Unauthorized)"),
            std::string::npos);
  EXPECT_NE(explained(403).hint.find("allow"), std::string::npos);
  EXPECT_NE(explained(404, "<html>").hint.find("root"), std::string::npos);
  EXPECT_NE(explained(429).hint.find("later"), std::string::npos);
  EXPECT_NE(explained(500).hint.find("log"), std::string::npos);
  EXPECT_NE(explained(503, R"({"status":"error","errorType":"timeout","error":"query timed out"})")
                .reason.find("timeout: query timed out"),
            std::string::npos);
}

TEST(PrometheusPlaces, ServicesUrlsAndCommandsAreReadStrictly) {
  EXPECT_EQ(parse_service_place("monitoring/prometheus-k8s:9090")->target(),
            "/api/v1/namespaces/monitoring/services/prometheus-k8s:9090/proxy");
  EXPECT_EQ(parse_service_place("m/https:p:web")->target(),
            "/api/v1/namespaces/m/services/https:p:web/proxy");
  for (const char* bad : {"", "monitoring", "a/b", "a/../b:1", "a/b:", "A/b:1", "a/b:1/x", "a/b?x:1"})
    EXPECT_FALSE(parse_service_place(bad)) << bad;
  EXPECT_EQ(*parse_root_url("http://p:9090/"), "http://p:9090");
  for (const char* bad : {"p:9090", "http://", "ftp://p", "http://u:secret@p", "http://p/?q", "http://p x"})
    EXPECT_FALSE(parse_root_url(bad)) << bad;
  const std::string said = to_line(parse_root_url("http://u:secret@p").error());
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  EXPECT_TRUE(
      read_figure_sources({{"prometheus", "m/p:9090,http://q:9090"}, {"prometheus-command", "curl {url}"}}));
  EXPECT_TRUE(read_figure_sources({{"prometheus", "m/p:9090"}}));
  EXPECT_FALSE(read_figure_sources({{"prometheus", "http://q:9090"}})) << "nothing asks for it";
  EXPECT_FALSE(read_figure_sources({{"prometheus-command", "curl {url}"}})) << "of no server";
  EXPECT_FALSE(read_figure_sources({{"prometheus", "http://q"}, {"prometheus-command", "curl -s"}}));
}

// The last one won in silence, so that the figures of the other were missing.
TEST(PrometheusPlaces, OfTwoServicesOrTwoUrlsNoneIsGuessed) {
  const auto services = read_figure_sources({{"prometheus", "m/p:9090,n/q:9091"}});
  ASSERT_FALSE(services);
  EXPECT_EQ(services.error().reason, "prometheus: two services are named: m/p:9090 and n/q:9091");
  EXPECT_NE(services.error().hint.find("keep one of them"), std::string::npos);
  const auto urls = read_figure_sources(
      {{"prometheus", "http://p:9090,m/p:9090,http://q:9090/"}, {"prometheus-command", "curl {url}"}});
  ASSERT_FALSE(urls);
  EXPECT_EQ(urls.error().reason, "prometheus: two URLs are named: http://p:9090 and http://q:9090");
}

// A server that answers what the test says, asked by the poll.
class Poll : public testing::Test {
 protected:
  Poll() {
    PrometheusCalls calls;
    calls.ask = [this](const std::string& path, const PrometheusAnswered& answered) {
      asked.push_back(path);
      pending.push_back(answered);
    };
    calls.node_of = of_any;
    calls.told = [this](const FiguresNow& now, Duration) { told = now.nodes.size(); };
    calls.failed = [this](const Error& error, Duration) { failures.push_back(error); };
    calls.every = [] { return Duration(3'600'000); };
    calls.clock = [] { return kAsked; };
    poll.emplace(worker, std::move(calls));
  }
  ~Poll() override { worker.stop(); }
  void say(int status, std::string body) {
    HttpResponse response;
    response.status = status;
    response.body = std::move(body);
    auto answered = std::exchange(pending, {});
    for (const auto& one : answered) one(response);
  }

  Worker worker;
  std::vector<std::string> asked;
  std::vector<PrometheusAnswered> pending;
  std::vector<Error> failures;
  std::size_t told = 0;
  std::string past;
  std::optional<Prometheus> poll;
};

TEST_F(Poll, OneQuestionTellsOfAllNodes) {
  poll->go();
  poll->go();
  ASSERT_EQ(asked.size(), 1u) << "one at a time";
  EXPECT_TRUE(asked[0].starts_with("/api/v1/query?query="));
  say(200, answer({series(kActive, "", "0.5"), series(kActive, "", "1", R"("Hostname":"n2")")}));
  EXPECT_EQ(told, 2u);
  EXPECT_TRUE(failures.empty());
}

TEST_F(Poll, AServerWithoutOurNodesIsAFailureAndNoEmptyAnswer) {
  poll->go();
  say(200, answer({}));
  poll->go();
  say(200, answer({series(kActive, "", "0.5", R"("x":"n1")")}));
  poll->go();
  say(503, "not ready");
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_EQ(failures[0].what, "Prometheus reports no GPU");
  EXPECT_EQ(failures[1].what, "Prometheus reports no node of this cluster");
  EXPECT_EQ(failures[2].reason, "HTTP 503: it is not ready (not ready)");
  EXPECT_EQ(told, 0u);
}

TEST_F(Poll, ThePastIsAskedForByTheLabelsThatNamedTheNode) {
  const Kept kept = [this](const std::vector<DcgmReadings>& rounds) { past = std::to_string(rounds.size()); };
  poll->look_back(NodeName("n1"), kAsked - 3600s, kept);
  EXPECT_TRUE(asked.empty()) << "which series are the node's is not known yet";
  poll->go();
  say(200, answer({series(kActive, "", "0.5", R"("hostname":"n1.site")")}));
  ASSERT_EQ(asked.size(), 2u);
  EXPECT_NE(asked[1].find("query_range"), std::string::npos);
  EXPECT_NE(asked[1].find("hostname%3D%22n1.site%22"), std::string::npos) << asked[1];
  EXPECT_NE(asked[1].find("start=1763996500&end=1764000100&step=15"), std::string::npos) << asked[1];
  say(200,
      answer({R"({"metric":{"__name__":"DCGM_FI_DEV_FB_USED","gpu":"0"},"values":[[100,"1"],[115,"2"]]})"},
             "matrix"));
  EXPECT_EQ(past, "2");
  poll->look_back(NodeName("n7"), kAsked - 3600s, kept);
  EXPECT_EQ(asked.size(), 2u) << "no round told of that node";
  EXPECT_EQ(past, "0");
  poll->look_back(NodeName("n1"), kAsked - 3600s, kept);
  past.clear();
  say(500, "");
  EXPECT_EQ(past, "0");
}

// The overview is left and opened again every few moments.
TEST_F(Poll, ThePastOfAllNodesIsOneQuestionAndNotAskedAgainWithinMinutes) {
  std::vector<std::size_t> came;
  const auto look_back = [&] {
    poll->look_back_at_sums(kAsked - 3600s, &test::catalogue(),
                            [&](const history::SumsBefore& kept) { came.push_back(kept.sums.size()); });
  };
  look_back();
  EXPECT_TRUE(asked.empty()) << "how many GPUs there are is not known yet";
  poll->go();
  say(200, answer({series(kActive, "", "0.5")}));
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_NE(asked[1].find("query_range"), std::string::npos);
  EXPECT_NE(asked[1].find("start=1763996500&end=1764000100&step=60"), std::string::npos) << asked[1];
  say(200, answer({over_time(kActive, R"("gpu":"0","UUID":"GPU-0","hpc_job":"7")", R"([100,"1"],[160,"1"])")},
                  "matrix"));
  EXPECT_EQ(came, (std::vector<std::size_t>{2}));
  look_back();
  EXPECT_EQ(asked.size(), 2U);
  EXPECT_EQ(came, (std::vector<std::size_t>{2, 0}));
}

TEST(PrometheusRecorded, ARealServerThatScrapesTheSimulatorIsRead) {
  JsonDocument document;
  constexpr TimePoint kRecorded{Duration(1'795'577'764'037)};
  auto now = figures_now(document, recorded("instant.json"), of_any, kRecorded);
  ASSERT_TRUE(now) << to_line(now.error());
  EXPECT_EQ(now->skipped, 0u) << now->problem;
  ASSERT_FALSE(now->nodes.empty());
  std::size_t slices = 0;
  for (const NodeReadings& one : now->nodes) {
    EXPECT_LT(one.readings.at, kRecorded - 1s) << "the time of its scrape: " << one.node.node;
    EXPECT_GT(one.readings.at, kRecorded - 60s) << one.node.node;
    for (const DcgmPart& part : one.readings.parts) {
      slices += part.instance ? 1u : 0u;
      EXPECT_TRUE(part.use) << one.node.node;
      EXPECT_TRUE(part.memory_used) << one.node.node;
    }
  }
  EXPECT_GT(slices, 0u);
  auto past = figures_before(document, recorded("range.json"));
  ASSERT_TRUE(past) << to_line(past.error());
  EXPECT_GT(past->size(), 3u);
  EXPECT_EQ(error_of(recorded("bad_query.json")).what, "Prometheus refuses the query");
}

// A script in place of the site's curl: it answers what a file says, whatever it is asked.
class BySiteCommand : public testing::Test {
 protected:
  static PrometheusOptions with(const std::string& script) {
    PrometheusOptions options;
    options.cluster = ClusterName("hpc");
    options.url = "http://prometheus.site:9090";
    options.command = {{"sh", "-c", script, "sh", "{url}"}, "{url}", Duration{20'000}, kMostPrometheus};
    options.catalogue = &test::catalogue();
    options.clock = [] { return TimePoint(Duration(1'795'577'770'000)); };
    return options;
  }
  // A cluster with that node is in the model, as Slurm's own backend tells it.
  bool until(PrometheusBackend& backend, const std::function<bool(const Cluster&)>& done) {
    NodesListed nodes;
    nodes.nodes.push_back(test::node("mixed-02", {test::gpu(0, Strategy::whole, {test::whole(0)})}));
    reduce(model, {ClusterName("hpc"), 1, TimePoint(Duration(1'795'577'769'000)), std::move(nodes)});
    backend.start(mailbox);
    return test::reduce_until(mailbox, model, ClusterName("hpc"), done, test::kPatience);
  }
  static bool failed(const Cluster& cluster) {
    auto told = cluster.sources.find(Source::dcgm);
    return told != cluster.sources.end() && told->second.failure;
  }
  Mailbox mailbox;
  Model model;
};

TEST_F(BySiteCommand, FiguresOfASlurmClustersNodesComeByTheSitesCommand) {
  const std::string file = test::source_dir() + "/tests/fixtures/prometheus/instant.json";
  PrometheusBackend backend(with("case \"$1\" in http://prometheus.site:9090/api/v1/query?query=*) cat '" +
                                 file + "';; *) exit 9;; esac"));
  ASSERT_TRUE(until(backend, [](const Cluster& cluster) {
    const NodeFigures* told = cluster.figures.find(NodeName("mixed-02"));
    return told && told->by_source.contains(Source::dcgm) && cluster.sources.contains(Source::dcgm);
  }));
  const Cluster& cluster = *model.find(ClusterName("hpc"));
  EXPECT_FALSE(cluster.sources.at(Source::dcgm).failure);
  EXPECT_EQ(cluster.sources.at(Source::dcgm).cost,
            (SourceCost{1, std::ssize(recorded("instant.json")), Duration(60'000)}));
  EXPECT_FALSE(cluster.figures.find(NodeName("mixed-02"))->by_source.at(Source::dcgm).gpus.empty());
}

TEST_F(BySiteCommand, WhoeverElseListensHearsWhatWasToldOfANode) {
  const std::string file = test::source_dir() + "/tests/fixtures/prometheus/instant.json";
  PrometheusOptions options = with("cat '" + file + "'");
  std::mutex mutex;
  std::map<NodeName, std::size_t> heard;
  options.heard = [&](const NodeName& node, const DcgmReadings& readings) {
    const std::lock_guard lock(mutex);
    heard[node] = readings.parts.size();
  };
  PrometheusBackend backend(std::move(options));
  ASSERT_TRUE(until(backend, [](const Cluster& cluster) { return cluster.sources.contains(Source::dcgm); }));
  const std::lock_guard lock(mutex);
  EXPECT_GT(heard[NodeName("mixed-02")], 0U);
}

// A node that was lost with Xid 79 lost its finding, too, once its series went stale.
TEST_F(BySiteCommand, AFaultStandsWhenPrometheusTellsOfItsNodeNoMoreAndGoesWithTheNode) {
  const auto answer = [](const std::string& node, int xid) {
    return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{)"
           R"("__name__":"DCGM_FI_DEV_XID_ERRORS","gpu":"3","UUID":"GPU-3","Hostname":")" +
           node + R"("},"value":[1764000000,")" + std::to_string(xid) + R"("]}]}})";
  };
  test::Scratch folder;
  folder.write("first", answer("mixed-02", 79));
  folder.write("then", answer("mixed-01", 64));
  const std::string in = "cd '" + folder.path() + "' && ";
  PrometheusOptions options = with(in + "if mkdir asked 2>/dev/null; then cat first; else cat then; fi");
  const auto listed = std::make_shared<ListedNodes>();
  options.listed = listed;
  PrometheusBackend backend(std::move(options));
  const auto tells = [](const Cluster& cluster, const std::string& node) {
    const auto found = cluster.remarks.find(Source::dcgm);
    return found != cluster.remarks.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](const Remark& one) { return one.subject == node; });
  };
  ASSERT_TRUE(until(backend, [&](const Cluster& cluster) { return tells(cluster, "mixed-02"); }));
  const auto round_until = [&](const std::function<bool(const Cluster&)>& done) {
    backend.refresh();
    return test::reduce_until(mailbox, model, ClusterName("hpc"), done, test::kPatience);
  };
  ASSERT_TRUE(round_until([&](const Cluster& cluster) { return tells(cluster, "mixed-01"); }));
  EXPECT_TRUE(tells(*model.find(ClusterName("hpc")), "mixed-02"))
      << "nothing new is told of it, which is not that it is well";
  listed->set({NodeName("mixed-01")});
  EXPECT_TRUE(round_until([&](const Cluster& cluster) { return !tells(cluster, "mixed-02"); }));
}

TEST_F(BySiteCommand, HowTheCommandFailedIsToldWithTheCommandToTry) {
  PrometheusBackend refused(with("echo 'curl: (22) The requested URL returned error: 401' >&2; exit 22"));
  ASSERT_TRUE(until(refused, failed));
  const Error error = *model.find(ClusterName("hpc"))->sources.at(Source::dcgm).failure;
  EXPECT_EQ(error.reason,
            "the site's command ended with 22: curl: (22) The requested URL returned error: 401");
  EXPECT_TRUE(error.hint.starts_with("run it by hand: sh -c ")) << error.hint;
}

// Who reads the past is woken by a report; a server that refuses has not answered by that.
TEST_F(BySiteCommand, LookingBackDoesNotMakeAFailingServerOneThatAnswers) {
  PrometheusBackend refused(with("exit 22"));
  ASSERT_TRUE(until(refused, failed));
  refused.look_back(NodeName("mixed-02"), TimePoint(Duration(1'795'570'000'000)));
  std::optional<SourceReport> told;
  while (!told) {
    pollfd fd{mailbox.wake_fd(), POLLIN, 0};
    ASSERT_EQ(poll(&fd, 1, 20'000), 1) << "the reader of the past is not woken";
    for (Event& event : mailbox.take())
      if (auto* report = std::get_if<SourceReport>(&event.what)) told = *report;
  }
  EXPECT_TRUE(told->failure);
}

}  // namespace prometheus_test
}  // namespace tessera::figures
