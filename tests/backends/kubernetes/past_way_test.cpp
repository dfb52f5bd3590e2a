// The past of a Prometheus behind an API server: kubectl is a script that stands in for its proxy.
#include "backends/kubernetes/past_way.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "engine/usage/reckoning.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/http_script.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::kubernetes {
namespace {

constexpr TimePoint kUntil{Duration(1'764'000'000'000)};
const std::string kRoot = "/api/v1/namespaces/monitoring/services/prometheus:9090/proxy";

class PastWay : public testing::Test {
 protected:
  // "kubectl proxy --unix-socket=PATH": PATH leads to the server of the test.
  ProxyOptions proxy(const std::string& script) {
    ProxyOptions options;
    options.kubectl = folder_.write("kubectl", "#!/bin/sh\n" + script);
    chmod(options.kubectl.c_str(), 0700);
    options.folders = {folder_.path()};
    return options;
  }
  ProxyOptions serving() {
    return proxy(
        "ln -s " + api_.socket() +
        " \"${2#--unix-socket=}\"\necho \"Starting to serve on ${2#--unix-socket=}\"\nexec sleep 600\n");
  }
  Result<std::unique_ptr<usage::KeptUse>> open(const ProxyOptions& options) {
    return past_behind(options, {"monitoring", "prometheus", "9090", false},
                       {ClusterName("prod"), &test::catalogue(), kUntil}, test::kPatience);
  }
  test::HttpScript::Answer answer(const std::string& path) const {
    if (path.starts_with("/api/v1/nodes?") && goes_on_) {
      const std::string next = goes_on_ == Goes::round ? "again" : "p" + std::to_string(++pages_);
      return {200, R"({"metadata":{"continue":")" + next + R"("},"items":[{"metadata":{"name":"n1"}}]})"};
    }
    if (path == "/api/v1/nodes?limit=500")
      return {200, R"({"metadata":{"continue":"b/c"},"items":[{"metadata":{"name":"n1"}}]})"};
    if (path == "/api/v1/nodes?limit=500&continue=b%2Fc")
      return {200, R"({"metadata":{},"items":[{"metadata":{"name":"n2"}}]})"};
    if (refused_)
      return {403, R"({"kind":"Status","status":"Failure","reason":"Forbidden","code":403,)"
                   R"("message":"services is forbidden: cannot get resource \"services/proxy\""})"};
    if (path.starts_with(kRoot + "/api/v1/query?"))
      return {200, R"({"status":"success","data":{"resultType":"vector","result":[]}})"};
    if (path.find("group%20by") != std::string::npos)
      return {200, R"({"status":"success","data":{"resultType":"matrix","result":[]}})"};
    std::string all;
    for (const char* node : {"n2", "stranger"})
      all +=
          std::string(all.empty() ? "" : ",") +
          R"({"metric":{"__name__":"DCGM_FI_PROF_GR_ENGINE_ACTIVE","gpu":"0","UUID":"GPU-0","Hostname":")" +
          node + R"(","exported_namespace":"ml","exported_pod":"a"},"values":[[1763999700,"0.5"],)" +
          R"([1764000000,"0.5"]]})";
    return {200, R"({"status":"success","data":{"resultType":"matrix","result":[)" + all + "]}}"};
  }

  enum class Goes : std::uint8_t { round, on };
  test::Scratch folder_;
  bool refused_ = false;
  std::optional<Goes> goes_on_;  // the list of nodes has no end
  mutable int pages_ = 0;
  test::HttpScript api_{[this](const test::HttpScript::Asked& asked) { return answer(asked.target); }};
};

TEST_F(PastWay, NodesAreThoseOfTheClusterOnAllPagesAndSeriesOfOthersAreCounted) {
  auto kept = open(serving());
  ASSERT_TRUE(kept) << to_line(kept.error());
  usage::KeptUse* told = kept->get();
  std::vector<std::unique_ptr<record::Recording>> all;
  all.push_back(std::move(*kept));
  usage::Span span;
  span.since = std::chrono::minutes(10);
  const auto read = usage::reckon(all, span, test::catalogue());
  ASSERT_TRUE(read) << to_line(read.error());
  ASSERT_EQ(read->sums.at(usage::By::node).size(), 1u);
  EXPECT_EQ(read->sums.at(usage::By::node)[0].name, "n2") << "of the second page";
  EXPECT_EQ(read->sums.at(usage::By::group)[0].name, "ml");
  EXPECT_EQ(told->told().strange, 1u);
}

TEST_F(PastWay, WhatTheApiServerRefusesIsSaidInItsWords) {
  refused_ = true;
  auto kept = open(serving());
  ASSERT_TRUE(kept) << to_line(kept.error());
  const Status read =
      (*kept)->rounds(kUntil - std::chrono::hours(1), kUntil, [](const auto&) { return true; });
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().reason.find("services/proxy"), std::string::npos) << to_line(read.error());
}

TEST_F(PastWay, AListOfNodesThatHasNoEndIsAnError) {
  goes_on_ = Goes::round;
  const auto round = open(serving());
  ASSERT_FALSE(round);
  EXPECT_NE(round.error().reason.find("one page refers to itself"), std::string::npos)
      << to_line(round.error());
  goes_on_ = Goes::on;
  const auto on = open(serving());
  ASSERT_FALSE(on);
  EXPECT_NE(on.error().reason.find("it does not end: 1 objects on 1000 pages"), std::string::npos)
      << to_line(on.error());
}

TEST_F(PastWay, AKubectlThatEndsIsAnErrorWithItsWords) {
  const auto kept = open(proxy("echo 'error: no configuration has been provided' >&2\nexit 1\n"));
  ASSERT_FALSE(kept);
  EXPECT_NE(to_line(kept.error()).find("no configuration has been provided"), std::string::npos)
      << to_line(kept.error());
}

}  // namespace
}  // namespace tessera::kubernetes
