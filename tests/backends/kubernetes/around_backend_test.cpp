// What the backend reads beside nodes and pods: exporters, disruption budgets, events.
#include <future>

#include "engine/operators/operator_setup.hpp"
#include "engine/plan/run/actuator.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

// A node of two GPUs of which three slices are counted, pods that hold some, and its exporter.
class Measured : public testing::Test {
 protected:
  Measured() {
    Labels labels = kOne;
    labels["nvidia.com/mig.strategy"] = "mixed";
    labels["nvidia.com/gpu.replicas"] = "0";
    labels["nvidia.com/mig-1g.10gb.count"] = "3";
    api.nodes = {{"a", node_json("a", labels, {{"nvidia.com/mig-1g.10gb", "3"}})}};
    api.pods = {{"p", slice_pod("p")},
                {"q", slice_pod("q")},
                {"x", R"({"metadata":{"namespace":"gpu-operator","name":"dcgm-x","labels":)"
                      R"({"app":"nvidia-dcgm-exporter"}},"spec":{"nodeName":"a","containers":)"
                      R"([{"name":"e","ports":[{"name":"metrics","containerPort":9555}]}]},)"
                      R"("status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})"}};
    api.instead = [this](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
      if (path != "/api/v1/namespaces/gpu-operator/pods/dcgm-x:9555/proxy/metrics") return std::nullopt;
      return metrics;
    };
  }
  static std::string slice_pod(const std::string& name) {
    return R"({"metadata":{"namespace":"team","name":")" + name +
           R"("},"spec":{"nodeName":"a","containers":[{"resources":{"limits":{"nvidia.com/mig-1g.10gb":"1"}}}]},)"
           R"("status":{"phase":"Running"}})";
  }
  static std::string line(int gpu, int id, const std::string& pod, const std::string& value) {
    return "DCGM_FI_PROF_GR_ENGINE_ACTIVE{gpu=\"" + std::to_string(gpu) + "\",UUID=\"GPU-" +
           std::to_string(gpu) + R"(",GPU_I_PROFILE="1g.10gb",GPU_I_ID=")" + std::to_string(id) +
           R"(",container="main",namespace=")" + (pod.empty() ? "" : "team") + "\",pod=\"" + pod + "\"} " +
           value + "\n";
  }
  const std::vector<Remark>* remarks(const Cluster& cluster) {
    auto found = cluster.remarks.find(Source::dcgm);
    return found == cluster.remarks.end() || found->second.empty() ? nullptr : &found->second;
  }
  LabApi::Answer metrics{200, "", {}};
  LabApi api;  // the first to go: it answers from the other
};

TEST_F(Measured, TheExporterTellsUseAndWhichSliceAPodHolds) {
  metrics.body = line(0, 9, "", "0") + line(0, 11, "q", "0.5") + line(1, 7, "p", "1");
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->gpus.size() == 2; }));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->counts.free == 1; }));
  const Node& node = *watch.cluster().nodes.find(NodeName("a"));
  EXPECT_EQ(node.gpus[0].origin.source, Source::dcgm);
  const Slice &idle = node.gpus[0].slices[0], &of_q = node.gpus[0].slices[1], &of_p = node.gpus[1].slices[0];
  EXPECT_EQ(idle.holding, Holding::free);
  EXPECT_TRUE(of_q.exact);
  EXPECT_EQ(of_q.holders, (std::vector<Holder>{{WorkloadId("team/q"), 1}}));
  EXPECT_EQ(of_q.use, Percent{50});
  EXPECT_EQ(of_p.holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  EXPECT_FALSE(remarks(watch.cluster()));
  EXPECT_FALSE(watch.failure(Source::dcgm));
  EXPECT_EQ(watch.cluster().workloads.size(), 2u) << "the exporter itself is no work";
}

// A command that printed once had its figures or had none, as busy as the machine was.
TEST_F(Measured, TheFirstPictureWaitsForTheExportersAsLongAsItIsSaid) {
  metrics.body = line(0, 9, "", "0") + line(0, 11, "q", "0.5") + line(1, 7, "p", "1");
  KubernetesOptions patient = at(api.script().socket());
  patient.measures_within = Duration{3'600'000};
  KubeWatch waits(patient);
  ASSERT_TRUE(waits.until(loaded));
  EXPECT_EQ(waits.cluster().nodes.find(NodeName("a"))->gpus.size(), 2u);

  std::promise<void> asked_long_enough;
  auto answers = api.instead;
  api.instead = [&, wait = asked_long_enough.get_future().share()](const std::string& path,
                                                                   const std::string& query) {
    auto answer = answers(path, query);
    if (answer) wait.wait();
    return answer;
  };
  KubernetesOptions hasty = at(api.script().socket());
  hasty.measures_within = Duration{1};
  KubeWatch goes_on(hasty);
  EXPECT_TRUE(goes_on.until(loaded));
  EXPECT_EQ(goes_on.cluster().nodes.find(NodeName("a"))->gpus.size(), 0u);
  const auto late = [](const Cluster& c) {
    const auto told = c.remarks.find(Source::dcgm);
    return told != c.remarks.end() && !told->second.empty() &&
           told->second.front().text.starts_with("figures of GPUs have not come within");
  };
  EXPECT_TRUE(late(goes_on.cluster())) << "no figures are not said to be none";
  asked_long_enough.set_value();
  EXPECT_TRUE(goes_on.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->gpus.size() == 2; }));
  EXPECT_TRUE(goes_on.until([&](const Cluster& c) { return !late(c); }));
}

// The same two GPUs as Prometheus has them: pods renamed, the exporter's own beside them.
std::string kept_by_prometheus() {
  const auto one = [](int gpu, int id, const std::string& pod, const std::string& value) {
    return R"({"metric":{"__name__":"DCGM_FI_PROF_GR_ENGINE_ACTIVE","gpu":")" + std::to_string(gpu) +
           R"(","UUID":"GPU-)" + std::to_string(gpu) + R"(","GPU_I_PROFILE":"1g.10gb","GPU_I_ID":")" +
           std::to_string(id) + R"(","namespace":"gpu-operator","pod":"dcgm-x")" +
           (pod.empty() ? "" : R"(,"exported_namespace":"team","exported_pod":")" + pod + '"') +
           R"(},"value":[1764000000,")" + value + R"("]})";
  };
  return R"({"status":"success","data":{"resultType":"vector","result":[)" + one(0, 9, "", "0") + "," +
         one(0, 11, "q", "0.5") + "," + one(1, 7, "p", "1") + "]}}";
}

TEST_F(Measured, PrometheusIsAskedOnceInsteadOfEveryExporter) {
  LabApi::Answer prometheus{200, kept_by_prometheus(), {}};
  api.instead = [&](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path.starts_with("/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/")) return prometheus;
    return std::nullopt;
  };
  KubernetesOptions options = at(api.script().socket());
  options.prometheus = figures::ServicePlace{"monitoring", "prometheus", "9090", false};
  KubeWatch watch(options);
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->counts.free == 1; }));
  const Node& node = *watch.cluster().nodes.find(NodeName("a"));
  ASSERT_EQ(node.gpus.size(), 2u);
  EXPECT_EQ(node.gpus[0].slices[1].use, Percent{50});
  EXPECT_EQ(node.gpus[0].slices[1].holders, (std::vector<Holder>{{WorkloadId("team/q"), 1}}));
  EXPECT_FALSE(watch.failure(Source::dcgm));
  EXPECT_FALSE(remarks(watch.cluster()));
  EXPECT_EQ(api.count("/pods/dcgm-x"), 0u) << "no exporter is asked while Prometheus answers";
  EXPECT_EQ(api.count("/services/prometheus:9090/proxy/api/v1/query?"), 1u);
}

std::string fault_at_prometheus(const std::string& node, int xid) {
  return R"({"status":"success","data":{"resultType":"vector","result":[{"metric":{)"
         R"("__name__":"DCGM_FI_DEV_XID_ERRORS","gpu":"3","UUID":"GPU-3","node":")" +
         node + R"("},"value":[1764000000,")" + std::to_string(xid) + R"("]}]}})";
}

// A node that was lost with Xid 79 lost its finding, too, once its series went stale.
TEST_F(Measured, AFaultStandsWhenPrometheusTellsOfItsNodeNoMore) {
  api.nodes.emplace("b", node_json("b", kOne, {}));
  std::atomic<int> asked = 0;
  std::atomic<bool> fails = false;
  auto exporters = api.instead;
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (!path.starts_with("/api/v1/namespaces/monitoring/services/prometheus:9090/proxy/"))
      return exporters(path, query);
    if (fails) return LabApi::Answer{503, "down", {}};
    if (asked++ == 0) return LabApi::Answer{200, fault_at_prometheus("b", 79), {}};
    return LabApi::Answer{200, fault_at_prometheus("a", 64), {}};
  };
  metrics.body = line(0, 9, "", "0") + line(0, 11, "q", "0.5") + line(1, 7, "p", "1");
  KubernetesOptions options = at(api.script().socket());
  options.prometheus = figures::ServicePlace{"monitoring", "prometheus", "9090", false};
  KubeWatch watch(options);
  const auto tells = [&](const Cluster& c, const std::string& node) {
    const std::vector<Remark>* all = remarks(c);
    return all && std::any_of(all->begin(), all->end(), [&](const Remark& one) {
             return one.subject == node && one.text.find("Xid") != std::string::npos;
           });
  };
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return tells(c, "b"); }));
  watch.backend().refresh();
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return tells(c, "a"); }));
  EXPECT_TRUE(tells(watch.cluster(), "b")) << "nothing new is told of it, which is not that it is well";
  fails = true;
  watch.backend().refresh();
  ASSERT_TRUE(watch.until([&](const Cluster& c) {
    return remarks(c) && remarks(c)->front().subject == "Prometheus" && !tells(c, "a");
  })) << "the exporter of a tells that it is well";
  EXPECT_TRUE(tells(watch.cluster(), "b"));
}

TEST_F(Measured, WhilePrometheusFailsTheExportersAreAskedAndTheReasonIsSaid) {
  metrics.body = line(0, 9, "", "0") + line(0, 11, "q", "0.5") + line(1, 7, "p", "1");
  auto exporters = api.instead;
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path.find("/services/") == std::string::npos) return exporters(path, query);
    return LabApi::Answer{403,
                          R"({"kind":"Status","message":"services \"prometheus\" is forbidden: User \"eve\" )"
                          R"(cannot get resource \"services/proxy\"","code":403})",
                          {}};
  };
  KubernetesOptions options = at(api.script().socket());
  options.prometheus = figures::ServicePlace{"monitoring", "prometheus", "9090", false};
  KubeWatch watch(options);
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    const Node* node = c.nodes.find(NodeName("a"));
    return node && node->gpus.size() == 2;
  })) << "the exporters tell instead";
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return remarks(c) != nullptr; }));
  const Remark& one = remarks(watch.cluster())->front();
  EXPECT_EQ(one.subject, "Prometheus");
  EXPECT_NE(one.text.find("services/proxy in namespace monitoring"), std::string::npos) << one.text;
  EXPECT_NE(one.text.find("figures are asked for at each exporter"), std::string::npos) << one.text;
}

TEST_F(Measured, WithoutTheRightToAskOneRemarkSaysSo) {
  metrics = {403,
             R"({"kind":"Status","message":"pods \"dcgm-x\" is forbidden: User \"eve\" cannot get resource )"
             R"(\"pods/proxy\"","code":403})",
             {}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return remarks(c) != nullptr; }));
  ASSERT_EQ(remarks(watch.cluster())->size(), 1u);
  const Remark& one = remarks(watch.cluster())->front();
  EXPECT_EQ(one.grade, Remark::Grade::info);
  EXPECT_NE(one.text.find("not allowed to get pods/proxy in namespace gpu-operator"), std::string::npos)
      << one.text;
  EXPECT_NE(one.hint.find("tessera doctor --rbac"), std::string::npos);
  const Node& node = *watch.cluster().nodes.find(NodeName("a"));
  EXPECT_EQ(node.pool.size(), 3u) << "what the API counts is still shown";
  for (const auto& [source, health] : watch.cluster().sources) EXPECT_FALSE(health.failure);
}

TEST_F(Measured, AnExporterWithACertificateIsAskedByHttps) {
  metrics = {400, "Client sent an HTTP request to an HTTPS server.\n", {}};
  LabApi::Answer tls{200, line(0, 9, "", "0") + line(0, 11, "q", "0.5") + line(1, 7, "p", "1"), {}};
  auto plain = api.instead;
  api.instead = [=](const std::string& path, const std::string& query) {
    bool https = path == "/api/v1/namespaces/gpu-operator/pods/https:dcgm-x:9555/proxy/metrics";
    return https ? std::optional(tls) : plain(path, query);
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    const Node* node = c.nodes.find(NodeName("a"));
    return c.loaded && node && node->gpus.size() == 2;
  }));
  EXPECT_FALSE(remarks(watch.cluster()));
  std::size_t by_http = api.count("/pods/dcgm-x:9555/");
  watch.backend().refresh();
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.count("/pods/https:dcgm-x:9555/") >= 2; }));
  EXPECT_EQ(api.count("/pods/dcgm-x:9555/"), by_http) << "what it answered by is remembered";
}

TEST_F(Measured, APortThatIsCalledHttpsIsAskedByHttpsFirstAndBothRefusalsAreSaid) {
  std::string& pod = api.pods.at("x");
  pod.replace(pod.find(R"("metrics")"), 9, R"("https-metrics")");
  metrics = {404, "404 page not found", {}};
  auto plain = api.instead;
  api.instead = [=](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/namespaces/gpu-operator/pods/https:dcgm-x:9555/proxy/metrics")
      return plain(path, query);
    return LabApi::Answer{401, "Unauthorized", {}};  // the exporter's own: no Status of the API server's
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return c.loaded && remarks(c); }));
  const std::string& said = remarks(watch.cluster())->front().text;
  EXPECT_NE(said.find("does not answer on a"), std::string::npos) << said;
  EXPECT_NE(said.find("by HTTPS: Unauthorized"), std::string::npos) << said;
  EXPECT_NE(said.find("by HTTP: 404 page not found"), std::string::npos) << said;
}

TEST_F(Measured, AnExporterThatTalksNonsenseIsSaidWithItsNode) {
  metrics.body = "<html>login first</html>";
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([&](const Cluster& c) { return c.loaded && remarks(c); }));
  EXPECT_NE(remarks(watch.cluster())->front().text.find("on a cannot be read"), std::string::npos);
}

TEST_F(Measured, ReadingsGoWithTheirExporter) {
  metrics.body = line(0, 9, "", "0") + line(0, 11, "q", "0.5") + line(1, 7, "p", "1");
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    const Node* node = c.nodes.find(NodeName("a"));
    return node && node->counts.free == 1 && node->gpus.size() == 2;
  }));
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/pods") == 1; }));
  api.script().feed("/api/v1/pods", event_json("DELETED", api.pods.at("x")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.nodes.find(NodeName("a"))->pool.size() == 3; }));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    const Node& node = *c.nodes.find(NodeName("a"));
    return std::all_of(node.pool.begin(), node.pool.end(), [](const Slice& slice) { return !slice.exact; });
  })) << "which of them is held is open again";
}

TEST(GpuOperator, ItsVersionIsToldBesideTheServers) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path != "/apis/nvidia.com/v1/clusterpolicies") return std::nullopt;
    return LabApi::Answer{
        200,
        list_json({R"({"metadata":{"name":"cluster-policy","labels":)"
                   R"({"app.kubernetes.io/version":"v26.3.0"}},"status":{"state":"ready"}})"},
                  "100"),
        {}};
  };
  KubeWatch watch(at(api.script().socket()));
  EXPECT_TRUE(
      watch.until([](const Cluster& c) { return c.version == "kubernetes v1.31.2, GPU operator v26.3.0"; }));
}

constexpr const char* kBudget =
    R"({"metadata":{"namespace":"team","name":"p-pdb","resourceVersion":"%"},"spec":{"selector":{"matchLabels":)"
    R"({"run":"p"}}},"status":{"disruptionsAllowed":#,"currentHealthy":1,"desiredHealthy":1}})";
std::string budget_json(const std::string& version, const std::string& allowed) {
  std::string text = kBudget;
  text.replace(text.find('%'), 1, version);
  return text.replace(text.find('#'), 1, allowed);
}

// That a right is missing was reported by a run only, which had parked by then.
TEST(KubernetesRights, WhatIsMissingForAChangeIsToldWhereItIsAskedFor) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  std::atomic<bool> allowed = false;
  api.instead = [&](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (!path.ends_with("/selfsubjectaccessreviews")) return std::nullopt;
    return LabApi::Answer{
        201, allowed ? R"({"status":{"allowed":true}})" : R"({"status":{"allowed":false}})", {}};
  };
  auto told = [&](bool review) {
    KubernetesOptions options = at(api.script().socket());
    options.review_rights = review;
    KubeWatch watch(options);
    EXPECT_TRUE(watch.until(loaded));
    auto found = watch.cluster().remarks.find(Source::kubernetes_operator);
    return found == watch.cluster().remarks.end() || found->second.empty() ? Remark{} : found->second[0];
  };
  EXPECT_EQ(
      told(true).text,
      "not allowed to patch nodes, create pods/eviction, patch clusterpolicies: a run would stop before it "
      "changes anything");
  EXPECT_NE(told(true).hint.find("doctor --rbac --write"), std::string::npos);
  allowed = true;
  EXPECT_EQ(told(true).text, "");
  const std::size_t asked = api.count("/selfsubjectaccessreviews");
  EXPECT_EQ(told(false).text, "");
  EXPECT_EQ(api.count("/selfsubjectaccessreviews"), asked) << "no other asks for it";
}

TEST(KubernetesBackendTest, ABudgetIsToldWithThePodThatItKeeps) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  std::string labelled = gpu_pod("p", "a");
  labelled.insert(labelled.find("\"name\""), R"("labels":{"run":"p"},)");
  api.pods = {{"p", labelled}, {"q", gpu_pod("q", "a")}};
  // An old server: the newer version of the group is not there.
  api.instead = [](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/apis/policy/v1beta1/poddisruptionbudgets" || query.find("watch") != std::string::npos)
      return std::nullopt;
    return LabApi::Answer{200, list_json({budget_json("7", "0")}, "70"), {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  auto comment = [&](const char* id) { return watch.cluster().workloads.find(WorkloadId(id))->comment; };
  EXPECT_EQ(comment("team/p"), "budget p-pdb allows no disruption now: 1 healthy, 1 needed");
  EXPECT_EQ(comment("team/q"), "");
  auto kept = [&] { return watch.backend().actuator()->means().gpu_operator->kept_back.contains("team/p"); };
  EXPECT_TRUE(kept()) << "a plan that evicts must say so";
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/apis/policy/v1beta1") == 1; }));
  api.script().feed("/apis/policy/v1beta1", event_json("MODIFIED", budget_json("71", "1")));
  EXPECT_TRUE(watch.until([&](const Cluster&) { return comment("team/p").empty(); }));
}

TEST(KubernetesBackendTest, QuotasOfGpusAreReadAndOthersAreNot) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/resourcequotas") return std::nullopt;
    return LabApi::Answer{
        200,
        list_json(
            {R"({"metadata":{"namespace":"ml","name":"gpus"},"spec":{"hard":{"requests.nvidia.com/gpu":"9"}},)"
             R"("status":{"hard":{"requests.nvidia.com/gpu":"8","pods":"10","requests.cpu":"4"},)"
             R"("used":{"requests.nvidia.com/gpu":"6"}}})",
             R"({"metadata":{"namespace":"ml","name":"fresh"},"spec":{"hard":)"
             R"({"requests.nvidia.com/mig-1g.10gb":"4","requests.nvidia.com/hostdev":"1"}}})"},
            "100"),
        {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_EQ(watch.cluster().quotas,
            (std::vector<Quota>{{"ml", "gpus", "nvidia.com/gpu", 8, 6},
                                {"ml", "fresh", "nvidia.com/mig-1g.10gb", 4, std::nullopt}}));
}

// A limit that could not be read was left out without a word.
TEST(KubernetesBackendTest, AQuotaThatCannotBeReadIsSaidAndTheRestOfItIsKept) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/resourcequotas") return std::nullopt;
    return LabApi::Answer{
        200,
        list_json({R"({"metadata":{"namespace":"ml","name":"gpus"},"status":{"hard":)"
                   R"({"requests.nvidia.com/gpu":"many","requests.nvidia.com/mig-1g.10gb":"4"},)"
                   R"("used":{"requests.nvidia.com/mig-1g.10gb":"-"}}})"},
                  "100"),
        {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  EXPECT_EQ(watch.cluster().quotas,
            (std::vector<Quota>{{"ml", "gpus", "nvidia.com/mig-1g.10gb", 4, std::nullopt}}));
  const std::vector<Remark>& told = watch.cluster().remarks.at(Source::kubernetes_pods);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].text,
            "how many GPUs the pods of a namespace may ask for is not all reported: 1 of the resourcequotas "
            "could not be read: ml/gpus has no readable count of nvidia.com/gpu");
}

TEST(KubernetesBackendTest, EventsOfGpuNodesAreRemarked) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  auto rebooted = [](const std::string& node) {
    return R"({"metadata":{"name":"e-)" + node +
           R"(","namespace":"default"},"involvedObject":{"kind":"Node","name":")" + node +
           R"("},"type":"Warning","reason":"Rebooted","message":"new boot id"})";
  };
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path != "/api/v1/events" || query.find("watch") != std::string::npos) return std::nullopt;
    if (query.find("involvedObject.kind%3DNode") == std::string::npos) return LabApi::Answer{400, "all?", {}};
    return LabApi::Answer{200, list_json({rebooted("a"), rebooted("elsewhere")}, "70"), {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    auto told = c.remarks.find(Source::kubernetes_nodes);
    return told != c.remarks.end() && told->second.size() == 1;
  }));
  EXPECT_EQ(watch.cluster().remarks.at(Source::kubernetes_nodes)[0].text, "Rebooted: new boot id");
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/events") == 1; }));
  api.script().feed("/api/v1/events", event_json("DELETED", rebooted("a")));
  EXPECT_TRUE(watch.until([](const Cluster& c) { return c.remarks.at(Source::kubernetes_nodes).empty(); }));
}

TEST(KubernetesBackendTest, BudgetsAndEventsThatMayNotBeReadAreSaidAndTheRestIsShown) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  api.instead = [](const std::string& path, const std::string&) -> std::optional<LabApi::Answer> {
    bool budgets = path == "/apis/policy/v1/poddisruptionbudgets";
    if (!budgets && path != "/api/v1/events") return std::nullopt;
    return LabApi::Answer{403, R"({"kind":"Status","message":"eve may not list that","code":403})", {}};
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    return c.loaded && c.remarks.contains(Source::kubernetes_pods) &&
           c.remarks.contains(Source::kubernetes_nodes);
  }));
  const Remark& budgets = watch.cluster().remarks.at(Source::kubernetes_pods).at(0);
  EXPECT_EQ(budgets.grade, Remark::Grade::info);
  EXPECT_NE(budgets.text.find("not allowed to list poddisruptionbudgets.policy"), std::string::npos)
      << budgets.text;
  EXPECT_NE(budgets.hint.find("doctor --rbac"), std::string::npos);
  const Remark& events = watch.cluster().remarks.at(Source::kubernetes_nodes).at(0);
  EXPECT_NE(events.text.find("not allowed to list events"), std::string::npos) << events.text;
  for (const auto& [source, health] : watch.cluster().sources) EXPECT_FALSE(health.failure);
  EXPECT_EQ(watch.cluster().nodes.size(), 1u);
}

}  // namespace
}  // namespace tessera::kubernetes
