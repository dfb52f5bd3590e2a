// Work whose pods a ResourceQuota refuses: it has no pod that waits, and its controller says so by events
// alone.
#include "backends/kubernetes/objects/refused_pods.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>

#include "backends/kubernetes/objects/parse.hpp"
#include "engine/time.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace refused_pods_test {

const std::string kMessage =
    R"(Error creating: pods \"train-x7k2p\" is forbidden: exceeded quota: gpus, requested: )"
    R"(requests.cpu=8,requests.nvidia.com/gpu=4, used: requests.cpu=2,requests.nvidia.com/gpu=6, limited: )"
    R"(requests.cpu=9,requests.nvidia.com/gpu=8)";

std::string refused_json(const std::string& name, const std::string& owner, const std::string& first,
                         const std::string& last, const std::string& message = kMessage) {
  return R"({"metadata":{"namespace":"ml","name":")" + name +
         R"("},"involvedObject":{"kind":"Job","name":")" + owner +
         R"("},"type":"Warning","reason":"FailedCreate","firstTimestamp":")" + first +
         R"(","lastTimestamp":")" + last + R"(","message":")" + message + R"("})";
}

EventObject refused(const std::string& owner, const std::string& first, const std::string& last,
                    const std::string& message = kMessage) {
  Parser parser;
  return parser.object<EventObject>(refused_json("e", owner, first, last, message)).value();
}

const TimePoint kNow = *parse_utc("2026-11-22T12:00:00Z");
constexpr Duration kAhead = std::chrono::hours(1);

std::vector<Remark> told(const std::vector<EventObject>& events, std::optional<TimePoint> pod = {}) {
  return refused_remarks(
      events, [&](const std::string&, const std::string&) { return pod; }, kNow, kAhead);
}

// Nothing was seen of such a Job: its pods are refused before anything waits.
TEST(RefusedPods, AJobBeyondItsQuotaIsToldWithBothNumbers) {
  const auto all = told({refused("train", "2026-11-22T11:40:00Z", "2026-11-22T11:50:00Z"),
                         refused("train", "2026-11-22T11:50:00Z", "2026-11-22T11:58:00Z")});
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].subject, "Job ml/train");
  EXPECT_EQ(all[0].text,
            "the API server refuses its pods: quota gpus allows 8 nvidia.com/gpu, 6 are used, and a pod asks "
            "for 4");
  EXPECT_NE(all[0].hint.find("kubectl -n ml describe resourcequota"), std::string::npos);
  EXPECT_FALSE(all[0].follows.empty());
  EXPECT_EQ(all[0].since, parse_utc("2026-11-22T10:40:00Z")) << "by our clock";
}

// The way out was a command that shows the quota: how far to raise it was left to the reader.
TEST(RefusedPods, TheQuotaHasACommandThatLetsOneMorePodIn) {
  const auto commands = [](const std::string& message) {
    return told({refused("train", "2026-11-22T11:50:00Z", "2026-11-22T11:58:00Z", message)})[0].commands;
  };
  const std::string gpus =
      "exceeded quota: gpus, requested: requests.nvidia.com/gpu=4, used: requests.nvidia.com/gpu=6, limited: "
      "requests.nvidia.com/gpu=8";
  ASSERT_EQ(commands(gpus).size(), 2u);
  EXPECT_EQ(commands(gpus)[1],
            R"(kubectl -n ml patch resourcequota gpus --type=json -p '[)"
            R"({"op":"test","path":"/spec/hard/requests.nvidia.com~1gpu","value":"8"},)"
            R"({"op":"replace","path":"/spec/hard/requests.nvidia.com~1gpu","value":"10"}]')");
  const std::vector<std::string> both = commands(kMessage);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_NE(both[1].find(R"("path":"/spec/hard/requests.cpu","value":"10"})"), std::string::npos) << both[1];
  for (const char* unread :
       {"exceeded quota: gpus, requested: requests.memory=16Gi,requests.nvidia.com/gpu=4, used: "
        "requests.memory=2Gi,requests.nvidia.com/gpu=6, limited: "
        "requests.memory=8Gi,requests.nvidia.com/gpu=8",
        "exceeded quota: gpus, requested: requests.nvidia.com/gpu=4, used: requests.nvidia.com/gpu=6"})
    EXPECT_EQ(commands(unread).size(), 1u) << "the rest would keep it out: " << unread;
}

TEST(RefusedPods, WhatIsOverIsNotToldAndWhatIsOldHasNoBeginning) {
  EXPECT_TRUE(told({refused("train", "2026-11-22T11:00:00Z", "2026-11-22T11:39:00Z")}).empty())
      << "its controller would have tried again";
  const EventObject now = refused("train", "2026-11-22T11:50:00Z", "2026-11-22T11:58:00Z");
  EXPECT_TRUE(told({now}, parse_utc("2026-11-22T11:59:00Z")).empty()) << "it has a pod since";
  EXPECT_EQ(told({now}, parse_utc("2026-11-22T11:57:00Z")).size(), 1u) << "another of its pods was refused";
  const auto old = told({refused("train", "2026-11-22T11:10:00Z", "2026-11-22T11:58:00Z")});
  ASSERT_EQ(old.size(), 1u);
  EXPECT_FALSE(old[0].since) << "the API forgets events after an hour: it may have begun before";
}

TEST(RefusedPods, OnlyQuotasOfGpusCountAndWhatCannotBeReadIsShownAsItIsWritten) {
  const auto about = [](const std::string& message) {
    return told({refused("train", "2026-11-22T11:50:00Z", "2026-11-22T11:58:00Z", message)});
  };
  for (const char* other :
       {"",
        "Error creating: pods is forbidden: exceeded quota: cpus, requested: requests.cpu=8, used: "
        "requests.cpu=2, limited: requests.cpu=9",
        "exceeded quota: gpus", "exceeded quota: gpus, requested: ", "exceeded quota: gpus, requested: =,=,",
        "pods is forbidden: no such service account, requested: requests.nvidia.com/gpu=4"})
    EXPECT_TRUE(about(other).empty()) << other;
  for (const char* cut :
       {"exceeded quota: gpus, requested: requests.nvidia.com/gpu=4, used: requests.nvidia.com/g",
        "exceeded quota: gpus, requested: requests.nvidia.com/gpu=x, used: requests.nvidia.com/gpu=1, "
        "limited: "
        "requests.nvidia.com/gpu=2"}) {
    const auto all = about(cut);
    ASSERT_EQ(all.size(), 1u) << cut;
    EXPECT_EQ(all[0].text, std::string("the API server refuses its pods: ") + cut);
  }
}

const char* const kQuota =
    R"({"metadata":{"namespace":"ml","name":"gpus"},"status":{"hard":{"requests.nvidia.com/gpu":"8"},)"
    R"("used":{"requests.nvidia.com/gpu":"6"}}})";

bool is_of_refused(const std::string& path, const std::string& query) {
  return path == "/api/v1/events" && query.find("reason%3DFailedCreate") != std::string::npos;
}

// A server with that quota, and a Job whose pods it has refused just now.
auto refusing(const std::string& quota) {
  return [quota](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    const std::string now = utc_text(std::chrono::floor<Duration>(std::chrono::system_clock::now()));
    if (path == "/api/v1/resourcequotas") return LabApi::Answer{200, list_json({quota}, "100"), {}};
    if (is_of_refused(path, query))
      return LabApi::Answer{200, list_json({refused_json("e", "train", now, now)}, "100"), {}};
    return std::nullopt;
  };
}

TEST(KubernetesBackendTest, AJobWhosePodsAQuotaRefusesIsToldBeforeTheFirstPicture) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = refusing(kQuota);
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const std::vector<Remark>& all = watch.cluster().remarks.at(Source::kubernetes_pods);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].subject, "Job ml/train");
}

// Refused, broken, something else than JSON, cut off: that is said, and is not "no pod is refused".
TEST(KubernetesBackendTest, ThatRefusedPodsAreNotReportedIsSaid) {
  for (const LabApi::Answer& answer :
       {LabApi::Answer{403, "no", {}}, LabApi::Answer{500, "oops", {}}, LabApi::Answer{200, "<html>", {}},
        LabApi::Answer{200, R"({"metadata":{"resourceVersion":"1"},"items":[{"metadata")", {}}}) {
    LabApi api;
    api.nodes = {{"a", gpu_node("a")}};
    api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
      if (path == "/api/v1/resourcequotas") return LabApi::Answer{200, list_json({kQuota}, "100"), {}};
      return is_of_refused(path, query) ? std::optional(answer) : std::nullopt;
    };
    KubeWatch watch(at(api.script().socket()));
    ASSERT_TRUE(watch.until([](const Cluster& cluster) {
      const auto told = cluster.remarks.find(Source::kubernetes_pods);
      return told != cluster.remarks.end() && !told->second.empty();
    })) << answer.body;
    EXPECT_TRUE(watch.cluster().remarks.at(Source::kubernetes_pods)[0].text.starts_with(
        "whose pods a ResourceQuota refuses is not reported: "))
        << answer.body;
  }
}

// A right that was taken away while the console was open had no "since".
TEST(KubernetesBackendTest, SinceWhenAListBesideCannotBeReadIsToldWhereItCouldBe) {
  for (const bool at_first : {true, false}) {
    LabApi api;
    api.nodes = {{"a", gpu_node("a")}};
    std::atomic<bool> may = at_first;
    api.instead = [&](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
      if (path != "/api/v1/resourcequotas") return std::nullopt;
      return may ? LabApi::Answer{200, list_json({}, "100"), {}} : LabApi::Answer{403, "no", {}};
    };
    KubeWatch watch(at(api.script().socket()));
    ASSERT_TRUE(watch.until(loaded));
    may = false;
    watch.backend().refresh();
    ASSERT_TRUE(watch.until([](const Cluster& cluster) {
      const auto told = cluster.remarks.find(Source::kubernetes_pods);
      return told != cluster.remarks.end() && !told->second.empty();
    }));
    const std::vector<Remark>& all = watch.cluster().remarks.at(Source::kubernetes_pods);
    EXPECT_TRUE(
        all[0].text.starts_with("how many GPUs the pods of a namespace may ask for is not reported: "));
    EXPECT_EQ(all[0].since.has_value(), at_first) << "it may have been so for long";
  }
}

// A list more a minute is no price for clusters that have no such quota.
TEST(KubernetesBackendTest, WithoutAQuotaOfGpusNoEventsOfControllersAreAskedFor) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path == "/api/v1/resourcequotas") return LabApi::Answer{200, list_json({}, "100"), {}};
    return std::nullopt;
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  // A list is asked for once the one before it was taken in.
  const std::size_t before = api.count("/api/v1/resourcequotas");
  ASSERT_TRUE(watch.until([&](const Cluster&) {
    if (api.count("/api/v1/resourcequotas") >= before + 2) return true;
    watch.backend().refresh();
    return false;
  }));
  EXPECT_EQ(api.count("reason%3DFailedCreate"), 0u);
}

// The only limit of GPUs cannot be read: that is said, and is no reason not to ask whose pods are refused.
TEST(KubernetesBackendTest, WhereTheOnlyQuotaOfGpusCannotBeReadRefusedPodsAreAskedForStill) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  const std::string broken =
      R"({"metadata":{"namespace":"ml","name":"gpus"},"status":{"hard":{"requests.nvidia.com/gpu":"x"}}})";
  api.instead = refusing(broken);
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const std::vector<Remark>& all = watch.cluster().remarks.at(Source::kubernetes_pods);
  EXPECT_TRUE(std::any_of(all.begin(), all.end(), [](const Remark& one) {
    return one.subject == "Job ml/train";
  })) << all.size();
}

}  // namespace refused_pods_test
}  // namespace tessera::kubernetes
