// The backend against an API server that says what the test wants: pages, watches, refusals, outages.
#include "backends/kubernetes/backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "tests/backends/kubernetes/kube_lab.hpp"
#include "tests/support/patience.hpp"
#include "tests/support/run_binary.hpp"

namespace tessera::kubernetes {
namespace {

TEST(KubernetesBackendTest, WhatTheApiTellsIsInTheModel) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}, {"b", gpu_node("b")}, {"cpu", node_json("cpu", {}, {})}};
  api.pods = {{"p", gpu_pod("p", "a", 2)},
              {"q", gpu_pod("q", "", 1, "Pending")},
              {"web", R"({"metadata":{"namespace":"x","name":"web"},"spec":{"nodeName":"a"},"status":{}})"}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.loaded && !c.version.empty(); }));
  const Cluster& cluster = watch.cluster();
  EXPECT_EQ(cluster.scheduler, Scheduler::kubernetes);
  EXPECT_EQ(cluster.version, "kubernetes v1.31.2");
  EXPECT_EQ(cluster.nodes.size(), 2u);
  EXPECT_EQ(cluster.workloads.size(), 2u);
  const Node* a = cluster.nodes.find(NodeName("a"));
  ASSERT_NE(a, nullptr);
  ASSERT_EQ(a->gpus.size(), 2u);
  for (const Gpu& gpu : a->gpus) EXPECT_EQ(gpu.slices[0].holding, Holding::held);
  EXPECT_EQ(cluster.nodes.find(NodeName("b"))->counts.free, 2);
  EXPECT_FALSE(watch.failure(Source::kubernetes_nodes));
  EXPECT_FALSE(watch.failure(Source::kubernetes_operator));  // no ClusterPolicy is no failure
}

// Requests of pods were in no figure but that of one pod's page: FITS promised CPUs that others held.
TEST(KubernetesBackendTest, CpusThatPodsHaveRequestedAreHeldOnTheirNode) {
  const auto asking = [](const std::string& name, const std::string& node, const std::string& phase) {
    std::string json = gpu_pod(name, node, 1, phase);
    const std::string limits = R"("limits":{)";
    return json.insert(json.find(limits) + limits.size(), R"("cpu":"24","memory":"8Gi",)");
  };
  LabApi api;
  api.nodes = {{"a", node_json("a", kOne, {{"nvidia.com/gpu", "2"}, {"cpu", "32"}, {"memory", "64Gi"}})}};
  api.pods = {{"p", asking("p", "a", "Running")}, {"q", asking("q", "", "Pending")}};
  KubeWatch watch(at(api.script().socket()));
  const auto held = [](const Cluster& c) {
    const Node* a = c.nodes.find(NodeName("a"));
    return a ? a->cpus_held : std::nullopt;
  };
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return c.loaded && held(c).has_value(); }));
  EXPECT_EQ(held(watch.cluster()), 24);
  EXPECT_EQ(watch.cluster().nodes.find(NodeName("a"))->memory_held, Mib{8 * 1024});
  const Workload* waits = watch.cluster().workloads.find(WorkloadId("team/q"));
  ASSERT_TRUE(waits && waits->needs);
  EXPECT_EQ(waits->needs->cpus, 24);
}

TEST(KubernetesBackendTest, ALicenceThatTheClusterPolicyNamesIsToldNeverRead) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path.find("/clusterpolicies") == std::string::npos) return std::nullopt;
    return LabApi::Answer{
        200,
        list_json({R"({"metadata":{"name":"cluster-policy"},"spec":{"driver":{"licensingConfig":)"
                   R"({"nlsEnabled":true,"secretName":"licensing-config"}}},)"
                   R"("status":{"state":"ready"}})"},
                  "100"),
        {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.loaded && !c.licence.empty(); }));
  EXPECT_EQ(watch.cluster().licence,
            "ClusterPolicy cluster-policy names licensing-config for the driver's licence");
  EXPECT_EQ(api.count("/secrets"), 0u);
}

TEST(KubernetesBackendTest, ASimulatedServerIsRecognised) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path != "/version") return std::nullopt;
    return LabApi::Answer{200, R"({"gitVersion":"v1.32.2+tessera-sim"})", {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.simulated; }));
  EXPECT_EQ(watch.cluster().version, "kubernetes v1.32.2");
}

TEST(KubernetesBackendTest, ChangesComeThroughTheWatch) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.pods = {{"p", gpu_pod("p", "a")}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) {
    return api.script().streams("/api/v1/nodes") == 1 && api.script().streams("/api/v1/pods") == 1;
  }));
  api.script().feed("/api/v1/nodes",
                    event_json("ADDED", gpu_node("b", "101")) +
                        event_json("MODIFIED", gpu_node("a", "102", R"("unschedulable":true)")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.size() == 2; }));
  ASSERT_TRUE(
      watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->health == Health::draining; }));
  api.script().feed("/api/v1/pods", event_json("DELETED", gpu_pod("p", "a", 1, "Running", "103")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.workloads.size() == 0; }));
  EXPECT_TRUE(
      watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->health == Health::drained; }));
  api.script().feed("/api/v1/nodes", event_json("DELETED", gpu_node("b", "104")));
  EXPECT_TRUE(watch.until([](const Cluster& c) { return c.nodes.size() == 1; }));
}

TEST(KubernetesBackendTest, AWatchGoesOnFromTheLastVersionSeen) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/nodes") == 1; },
                          test::kPatience));
  api.script().feed("/api/v1/nodes",
                    event_json("BOOKMARK", R"({"kind":"Node","metadata":{"resourceVersion":"555"}})") +
                        event_json("ADDED", gpu_node("b", "560")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.size() == 2; }));
  api.script().close_streams("/api/v1/nodes", false);
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    auto health = c.sources.find(Source::kubernetes_nodes);
    return health != c.sources.end() && health->second.failure.has_value();
  }));
  EXPECT_EQ(watch.cluster().nodes.size(), 2u);  // the last values stay
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return !c.sources.at(Source::kubernetes_nodes).failure; }));
  EXPECT_EQ(api.count("resourceVersion=560"), 1u);
  EXPECT_EQ(api.count("/api/v1/nodes?limit"), 1u);  // it was not listed again
}

TEST(KubernetesBackendTest, AVersionThatIsGoneIsListedAgainWithoutBlanking) {
  std::atomic<bool> later = false;
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}, {"b", gpu_node("b")}};
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || query.find("watch") != std::string::npos || !later) return std::nullopt;
    return LabApi::Answer{200, list_json({gpu_node("b", "9"), gpu_node("c", "9")}, "900"), {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/nodes") == 1; },
                          test::kPatience));
  later = true;
  api.script().feed("/api/v1/nodes", body_of(recording("watch-410-gone.http")));
  bool blank = false;
  ASSERT_TRUE(watch.until([&](const Cluster& c) {
    blank = blank || c.nodes.size() == 0;
    return c.nodes.find(NodeName("c")) && !c.nodes.find(NodeName("a"));
  }));
  EXPECT_FALSE(blank);
  EXPECT_FALSE(watch.failure(Source::kubernetes_nodes));
}

TEST(KubernetesBackendTest, ListsComeByPagesAndTheFirstIsShownAtOnce) {
  std::atomic<bool> go_on = false;
  LabApi api;
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || query.find("watch") != std::string::npos) return std::nullopt;
    if (query.find("limit=500") == std::string::npos) return LabApi::Answer{400, "no limit", {}};
    if (query.find("continue=to%2Bken%3D") == std::string::npos)
      return LabApi::Answer{200, list_json({gpu_node("a")}, "7", "to+ken="), {}};
    if (!go_on) return LabApi::Answer{500, "not yet", {}};
    return LabApi::Answer{200, list_json({gpu_node("b")}, "7"), {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.size() == 1; }));
  go_on = true;
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.size() == 2; }));
  EXPECT_TRUE(watch.until([&](const Cluster&) { return api.count("resourceVersion=7") > 0; }, 15s));
}

TEST(KubernetesBackendTest, PagesThatExpireAreReadAgain) {
  std::atomic<int> expired = 0;
  LabApi api;
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || query.find("watch") != std::string::npos) return std::nullopt;
    if (query.find("continue=") != std::string::npos && expired++ == 0)
      return LabApi::Answer{410, body_of(recording("list-410-expired.http")), {}};
    if (query.find("continue=") != std::string::npos)
      return LabApi::Answer{200, list_json({gpu_node("b")}, "8"), {}};
    return LabApi::Answer{200, list_json({gpu_node("a")}, "8", "more"), {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.loaded && c.nodes.size() == 2; }));
  EXPECT_FALSE(watch.failure(Source::kubernetes_nodes));
  EXPECT_EQ(expired, 2);
}

TEST(KubernetesBackendTest, PagesThatAlwaysExpireAreReadAtOnceHoweverLongTheListIs) {
  LabApi api;
  std::vector<std::string> all;
  for (int i = 0; i < 3000; ++i) all.push_back(gpu_node("n" + std::to_string(i)));
  const std::string whole = list_json(all, "900");
  ASSERT_GT(whole.size(), 1'000'000u) << "several pieces";
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || query.find("watch") != std::string::npos) return std::nullopt;
    if (query.find("continue=") != std::string::npos)
      return LabApi::Answer{410, body_of(recording("list-410-expired.http")), {}};
    if (query.find("limit=") != std::string::npos)
      return LabApi::Answer{200, list_json({gpu_node("n0")}, "8", "more"), {}};
    return LabApi::Answer{200, whole, {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.loaded && c.nodes.size() == 3000; }));
  EXPECT_FALSE(watch.failure(Source::kubernetes_nodes));
  EXPECT_EQ(api.count("/api/v1/nodes?resourceVersion=0"), 1u);
  EXPECT_TRUE(watch.until([&](const Cluster&) { return api.count("resourceVersion=900") > 0; }, 15s));
}

TEST(KubernetesBackendTest, AListThatBreaksOffTakesNothingAway) {
  std::atomic<bool> whole = false;
  LabApi api;
  std::vector<std::string> all;
  for (int i = 0; i < 3000; ++i) all.push_back(gpu_node("n" + std::to_string(i)));
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || query.find("watch") != std::string::npos) return std::nullopt;
    std::string text = list_json(all, "900");
    if (!whole) text.replace(text.size() / 2, 10, 10, '}');
    return LabApi::Answer{200, text, {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    auto source = c.sources.find(Source::kubernetes_nodes);
    return source != c.sources.end() && source->second.failure;
  }));
  EXPECT_EQ(watch.failure(Source::kubernetes_nodes)->what, "the answer is not JSON");
  whole = true;
  EXPECT_TRUE(watch.until([](const Cluster& c) {
    return c.nodes.size() == 3000 && !c.sources.at(Source::kubernetes_nodes).failure;
  }));
}

TEST(KubernetesBackendTest, WhatIsForbiddenIsNamedAndTheRestIsShown) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}, {"closed", gpu_node("closed", "1", R"("unschedulable":true)")}};
  api.instead = [&](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/pods") return std::nullopt;
    return LabApi::Answer{
        403,
        R"({"kind":"Status","message":"pods is forbidden: User \"viewer\" cannot list","code":403})",
        {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_EQ(watch.cluster().nodes.size(), 2u);
  const Node& open = *watch.cluster().nodes.find(NodeName("a"));
  EXPECT_EQ(open.counts.free, 0) << "it is not known that they are free";
  EXPECT_EQ(open.gpus[0].slices[0].holding, Holding::unknown);
  const Node& closed = *watch.cluster().nodes.find(NodeName("closed"));
  EXPECT_EQ(closed.health, Health::draining) << "not drained: that would be \"empty, resume it\"";
  EXPECT_EQ(closed.reason, "cordoned");
  ASSERT_TRUE(watch.failure(Source::kubernetes_pods));
  EXPECT_EQ(watch.failure(Source::kubernetes_pods)->what, "not allowed to list pods");
  EXPECT_NE(watch.failure(Source::kubernetes_pods)->reason.find("User \"viewer\" cannot list"),
            std::string::npos);
  EXPECT_FALSE(watch.failure(Source::kubernetes_nodes));
}

TEST(KubernetesBackendTest, ABusyServerIsAskedAgainByItself) {
  std::atomic<int> refused = 0;
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [&](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || refused++ > 0) return std::nullopt;
    return LabApi::Answer{429, "too many requests", {"Retry-After: 1"}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.loaded && c.nodes.size() == 1; }));
  EXPECT_FALSE(watch.failure(Source::kubernetes_nodes));
}

TEST(KubernetesBackendTest, AnOutageLeavesTheLastValuesAndEnds) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/nodes") == 1; },
                          test::kPatience));
  api.script().stop();
  auto nodes_fail = [](const Cluster& c) {
    return c.sources.at(Source::kubernetes_nodes).failure.has_value();
  };
  ASSERT_TRUE(watch.until(nodes_fail));
  EXPECT_EQ(watch.cluster().nodes.size(), 1u);
  api.script().start();
  EXPECT_TRUE(watch.until([&](const Cluster& c) { return !nodes_fail(c); }));
}

// What it told of would stay as it was until its next change.
TEST(KubernetesBackendTest, AfterALineThatCannotBeReadAllIsReadAgain) {
  std::atomic<bool> later = false;
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/nodes" || query.find("watch") != std::string::npos || !later) return std::nullopt;
    return LabApi::Answer{200, list_json({gpu_node("a"), gpu_node("b")}, "900"), {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/nodes") == 1; },
                          test::kPatience));
  later = true;
  std::size_t watches = 0;
  for (const char* line : {"{\"type\":\n", "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{}}}\n",
                           "{\"type\":\"CHANGED\",\"object\":{\"metadata\":{\"name\":\"x\"}}}\n"}) {
    std::size_t lists = api.count("/api/v1/nodes?limit");
    ++watches;
    ASSERT_TRUE(
        watch.until([&](const Cluster&) { return api.script().streams_begun("/api/v1/nodes") == watches; },
                    test::kPatience));
    api.script().feed("/api/v1/nodes", line);
    ASSERT_TRUE(watch.until([&](const Cluster&) { return api.count("/api/v1/nodes?limit") > lists; }))
        << line;
  }
  EXPECT_TRUE(watch.until([](const Cluster& c) { return c.nodes.size() == 2; }));
}

// A pod that the list cannot tell of was left out without a word, and what it holds was free.
TEST(KubernetesBackendTest, APodThatCannotBeReadIsSaidAndMayHoldAnything) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.pods = {{"p", R"({"metadata":{"namespace":"team","name":"p"},"spec":null,"status":{}})"}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const SourceHealth& pods = watch.cluster().sources.at(Source::kubernetes_pods);
  EXPECT_EQ(pods.note, "1 of the pods could not be read: team/p has no spec");
  EXPECT_TRUE(pods.incomplete);
  EXPECT_EQ(watch.cluster().nodes.find(NodeName("a"))->counts.free, 0);
  watch.backend().refresh();
  EXPECT_FALSE(
      watch.until([](const Cluster& c) { return c.sources.at(Source::kubernetes_pods).note.empty(); },
                  std::chrono::milliseconds(300)));
}

std::string daemon_set_json(const std::string& app, const std::string& deploy) {
  return R"({"metadata":{"name":")" + app +
         R"(","namespace":"gpu-operator"},"spec":{"template":{"metadata":)" + R"({"labels":{"app":")" + app +
         R"("}},"spec":{"nodeSelector":{"nvidia.com/gpu.deploy.)" + deploy + R"(":"true"}}}}})";
}
std::string component_pod(const std::string& app, const std::string& node, bool ready) {
  return R"({"metadata":{"namespace":"gpu-operator","name":")" + app + R"(-x","labels":{"app":")" + app +
         R"("}},"spec":{"nodeName":")" + node +
         R"("},"status":{"phase":"Running","conditions":[{"type":"Ready",)" + R"("status":")" +
         (ready ? "True" : "False") + R"("}]}})";
}

TEST(KubernetesBackendTest, ANodeThatIsStuckInAChangeIsTold) {
  LabApi api;
  Labels labels = kOne;
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  labels["nvidia.com/mig.config.state"] = "pending";
  labels["nvidia.com/gpu.deploy.device-plugin"] = "paused-for-mig-change";
  api.nodes = {{"a", node_json("a", labels, {{"nvidia.com/gpu", "0"}})}};
  api.pods = {{"m", component_pod("nvidia-mig-manager", "a", true)}};
  api.sets = list_json({daemon_set_json("nvidia-device-plugin-daemonset", "device-plugin")}, "1");
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node* node = watch.cluster().nodes.find(NodeName("a"));
  ASSERT_TRUE(node->order);
  EXPECT_EQ(node->order->state, "pending");
  ASSERT_TRUE(
      watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->components.size() == 2; }));
  EXPECT_EQ(watch.cluster().nodes.find(NodeName("a"))->components[1].state, Part::paused);
  auto remarks = [](const Cluster& c) {
    auto found = c.remarks.find(Source::kubernetes_operator);
    return found == c.remarks.end() ? std::vector<Remark>() : found->second;
  };
  EXPECT_TRUE(remarks(watch.cluster()).empty());  // every change takes some minutes
  watch.advance(6min);
  watch.backend().refresh();
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return !remarks(c).empty(); }));
  EXPECT_EQ(remarks(watch.cluster())[0].grade, Remark::Grade::danger);
  EXPECT_NE(remarks(watch.cluster())[0].text.find("stuck"), std::string::npos)
      << remarks(watch.cluster())[0].text;
}

TEST(KubernetesBackendTest, ALayoutThatIsToldToBeMadeAndIsNotThereIsTold) {
  LabApi api;
  Labels labels = kOne;
  labels["nvidia.com/mig.config"] = "all-1g.10gb";
  labels["nvidia.com/mig.config.state"] = "success";
  api.nodes = {{"a", node_json("a", labels, {{"nvidia.com/gpu", "2"}})}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path.ends_with("/clusterpolicies"))
      return LabApi::Answer{
          200,
          list_json({R"({"metadata":{"name":"p"},"status":{"state":"ready","namespace":"gpu-operator"}})"},
                    "1"),
          {}};
    if (path.ends_with("/default-mig-parted-config"))
      return LabApi::Answer{
          200,
          R"({"metadata":{"name":"default-mig-parted-config"},"data":{"config.yaml":"version: v1\nmig-configs:\n)"
          R"(  all-1g.10gb:\n  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}\n"}})",
          {}};
    return std::nullopt;
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  auto unmade = [](const Cluster& c) {
    auto found = c.remarks.find(Source::kubernetes_operator);
    if (found != c.remarks.end())
      for (const Remark& one : found->second)
        if (one.text.find("is missing: 2 whole GPUs, not 14 of 1g.10gb") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(unmade(watch.cluster())) << "plugin and feature discovery may need a minute";
  watch.advance(3min);
  watch.backend().refresh();
  EXPECT_TRUE(watch.until(unmade));
}

// A kubectl of the test's: serves nothing, says something.
class FakeKubectl {
 public:
  explicit FakeKubectl(const std::string& script) {
    path_ = folder_.write("kubectl", "#!/bin/sh\n" + script);
    ::chmod(path_.c_str(), 0755);
  }
  KubernetesOptions options() const {
    KubernetesOptions options;
    options.cluster = "lab";
    options.proxy.kubectl = path_;
    options.proxy.folders = {folder_.path()};
    return options;
  }
  const std::string& folder() const { return folder_.path(); }

 private:
  test::Scratch folder_;
  std::string path_;
};

TEST(KubernetesProxyTest, KubectlsOwnWordsReachTheAdmin) {
  FakeKubectl kubectl("echo 'error: context \"x\" does not exist' >&2; exit 1");
  KubeWatch watch(kubectl.options());
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.failure(Source::kubernetes_nodes));
  EXPECT_EQ(watch.failure(Source::kubernetes_nodes)->what, "kubectl finds no such context");
  EXPECT_EQ(watch.failure(Source::kubernetes_nodes)->reason, "context \"x\" does not exist");
}

TEST(KubernetesProxyTest, WhyALoginFailsIsToldThoughTheProxyServes) {
  // kubectl proxy answers 502 and writes the reason to its log.
  LabApi api;
  api.instead = [](const std::string&, const std::string&) { return LabApi::Answer{502, "", {}}; };
  FakeKubectl kubectl(
      "for w in \"$@\"; do case $w in --unix-socket=*) ln -s " + api.script().socket() +
      " ${w#--unix-socket=};; esac; done; echo 'Starting to serve on x'; echo 'E1121 02:46:10.123456 12 "
      "proxy_server.go:147] Error while proxying request: getting credentials: exec: executable aws failed "
      "with "
      "exit code 255' >&2; exec sleep 60");
  KubeWatch watch(kubectl.options());
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    auto found = c.sources.find(Source::kubernetes_nodes);
    return found != c.sources.end() && found->second.failure &&
           found->second.failure->reason.starts_with("getting credentials");
  }));
  EXPECT_EQ(watch.failure(Source::kubernetes_nodes)->what,
            "kubectl cannot log in: its credential program fails");
}

TEST(KubernetesProxyTest, WhatTheLoginProgramSaysReachesTheAdmin) {
  LabApi api;
  api.instead = [](const std::string&, const std::string&) { return LabApi::Answer{502, "", {}}; };
  FakeKubectl kubectl(
      "for w in \"$@\"; do case $w in --unix-socket=*) ln -s " + api.script().socket() +
      " ${w#--unix-socket=};; esac; done; echo 'Starting to serve on x'; "
      "printf 'SSO session \\033[31mexpired\\nrun: foo sso login\\n' >&2; "
      "echo 'E1121 02:46:10.123456 12 proxy_server.go:147] Error while proxying request: getting "
      "credentials: exec: executable foo failed with exit code 1' >&2; exec sleep 60");
  KubeWatch watch(kubectl.options());
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    auto found = c.sources.find(Source::kubernetes_nodes);
    return found != c.sources.end() && found->second.failure &&
           found->second.failure->reason.find("foo sso login") != std::string::npos;
  }));
  const Error& error = *watch.failure(Source::kubernetes_nodes);
  EXPECT_EQ(error.what, "kubectl cannot log in: its credential program fails");
  EXPECT_EQ(error.reason.find('\033'), std::string::npos);
  EXPECT_NE(error.reason.find("failed with exit code 1 (it reports: SSO session"), std::string::npos)
      << error.reason;
}

TEST(KubernetesProxyTest, NoKubectlIsSaidWithTheWayOut) {
  KubernetesOptions options;
  options.cluster = "lab";
  options.proxy.kubectl = "/nowhere/kubectl";
  KubeWatch watch(options);
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_NE(watch.failure(Source::kubernetes_nodes)->hint.find("install kubectl"), std::string::npos);
}

TEST(KubernetesProxyTest, TheFolderIsPrivateAndGoneAtTheEnd) {
  FakeKubectl kubectl("ls -ld \"$(dirname \"${2#--unix-socket=}\")\" | cut -c1-10 > " +
                      std::string("\"$(dirname \"$0\")/mode\"") +
                      "; echo 'Starting to serve on x'; exec sleep 60");
  auto folders = [&] {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(kubectl.folder()))
      count += entry.is_directory();
    return count;
  };
  {
    KubeWatch watch(kubectl.options());
    ASSERT_TRUE(watch.until([](const Cluster& c) { return c.sources.contains(Source::kubernetes_nodes); }));
    EXPECT_EQ(folders(), 1u);
  }
  EXPECT_EQ(folders(), 0u);
  std::string mode;
  std::getline(std::ifstream(kubectl.folder() + "/mode") >> std::ws, mode);
  EXPECT_EQ(mode, "drwx------");
}

TEST(KubernetesProxyTest, ReadOnlyMeansThatTheProxyRefusesChanges) {
  ProxyOptions options;
  options.context = "prod";
  options.kubeconfig = "/k";
  EXPECT_EQ(proxy_command(options, "/s").argv,
            (std::vector<std::string>{"kubectl", "proxy", "--unix-socket=/s", "--kubeconfig=/k",
                                      "--context=prod", "--reject-methods=^(POST|PUT|PATCH|DELETE)$"}));
  options.write = true;
  EXPECT_EQ(proxy_command(options, "/s").argv.size(), 5u);
}

}  // namespace
}  // namespace tessera::kubernetes
