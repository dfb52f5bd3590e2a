// What asking an API server costs: each request counts for the source that it is for, and the bytes of the
// answers are those that the server sent as bodies.
#include "engine/insight/costs.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "backends/kubernetes/source_asked.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

HttpCall get(std::string target) {
  HttpCall call;
  call.target = std::move(target);
  return call;
}

TEST(KubernetesCosts, EachRequestIsForASource) {
  const std::string ns = "/api/v1/namespaces/team";
  for (const auto& [target, source] : std::map<std::string, Source>{
           {"/api/v1/nodes?limit=500", Source::kubernetes_nodes},
           {"/api/v1/nodes/h1", Source::kubernetes_nodes},
           {"/api/v1/events?fieldSelector=x", Source::kubernetes_nodes},
           {"/api/v1/events?fieldSelector=reason%3DFailedCreate&limit=500", Source::kubernetes_pods},
           {"/version", Source::kubernetes_nodes},
           {"/api/v1/namespaces/kube-system", Source::kubernetes_nodes},
           {"/api/v1/pods?watch=1", Source::kubernetes_pods},
           {ns + "/pods/p", Source::kubernetes_pods},
           {ns + "/events?fieldSelector=x", Source::kubernetes_pods},
           {ns + "/persistentvolumeclaims/v", Source::kubernetes_pods},
           {"/api/v1/resourcequotas?limit=500", Source::kubernetes_pods},
           {"/apis/policy/v1/poddisruptionbudgets", Source::kubernetes_pods},
           {"/apis/kueue.x-k8s.io", Source::kubernetes_pods},
           {"/apis/scheduling.volcano.sh/v1beta1/namespaces/team/podgroups/g", Source::kubernetes_pods},
           {"/apis/apps/v1/daemonsets?limit=500", Source::kubernetes_operator},
           {"/apis/nvidia.com/v1/clusterpolicies/p", Source::kubernetes_operator},
           {ns + "/configmaps/c", Source::kubernetes_operator},
           {ns + "/pods/p/log?tailLines=40", Source::kubernetes_operator},
           {"/apis/resource.k8s.io/v1/resourceslices?watch=1", Source::kubernetes_claims},
           {ns + "/pods/e:9400/proxy/metrics", Source::dcgm},
           {ns + "/services/https:prometheus:web/proxy/api/v1/query?query=x", Source::dcgm},
           {"/apis", Source::none},
           {"/apis/authorization.k8s.io/v1", Source::none},
           {"", Source::none},
           {"/api/v1/namespaces/", Source::kubernetes_nodes},
       })
    EXPECT_EQ(source_asked(get(target)), source) << target;
  HttpCall change = get("/api/v1/nodes/h1");
  change.method = "PATCH";
  EXPECT_EQ(source_asked(change), Source::none);
}

struct Sent {
  std::map<Source, SourceCost> by_source;
  std::int64_t calls = 0;
};

TEST(KubernetesCosts, CallsAndBytesAreThoseThatTheServerSaw) {
  LabApi api;
  const auto answer = [](const std::string& path, const std::string& query) -> LabApi::Answer {
    LabApi::Answer told;
    if (query.find("watch=1") != std::string::npos)
      told.stream = true;
    else if (path == "/api/v1/nodes")
      told.body = list_json({gpu_node("a"), gpu_node("b")}, "100");
    else if (path == "/api/v1/pods")
      told.body = list_json({gpu_pod("p", "a", 2)}, "100");
    else if (path == "/apis/apps/v1/daemonsets")
      told.body = R"({"metadata":{"resourceVersion":"1"},"items":[]})";
    else if (path == "/version")
      told.body = R"({"gitVersion":"v1.31.2"})";
    else
      told = {404, "404 page not found", {}};
    return told;
  };
  api.instead = answer;
  const auto sent = [&] {
    Sent all;
    for (const HttpScript::Asked& asked : api.script().asked()) {
      HttpCall call = get(asked.target);
      call.method = asked.method;
      SourceCost& of = all.by_source[source_asked(call)];
      ++of.calls, ++all.calls;
      const std::size_t end = std::min(asked.target.find('?'), asked.target.size());
      of.bytes += std::ssize(answer(asked.target.substr(0, end), asked.target.substr(end)).body);
    }
    return all;
  };
  KubernetesOptions options = at(api.script().socket());
  options.every = 3600s;
  KubeWatch watch(options);
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) { return api.script().streams("/api/v1/pods") == 1; }));
  const std::string change = event_json("ADDED", gpu_pod("late", "b", 1, "Running", "103"));
  api.script().feed("/api/v1/pods", change);
  // Told with the pace, every ten seconds.
  ASSERT_TRUE(watch.until([&](const Cluster& cluster) {
    const auto pods = cluster.sources.find(Source::kubernetes_pods);
    if (cluster.workloads.size() != 2 || pods == cluster.sources.end() || !pods->second.cost) return false;
    const double over = static_cast<double>(pods->second.cost->over.count()) / 60'000.0;
    const Sent now = sent();
    return pods->second.cost->bytes == now.by_source.at(Source::kubernetes_pods).bytes + std::ssize(change) &&
           std::llround(cluster.pace.calls_per_minute * over) == now.calls;
  }));
  Sent all = sent();
  all.by_source[Source::kubernetes_pods].bytes += std::ssize(change);
  for (Source source : {Source::kubernetes_nodes, Source::kubernetes_pods, Source::kubernetes_operator}) {
    const auto& cost = watch.cluster().sources.at(source).cost;
    ASSERT_TRUE(cost) << word(source);
    EXPECT_EQ(cost->calls, all.by_source[source].calls) << word(source);
    EXPECT_EQ(cost->bytes, all.by_source[source].bytes) << word(source);
  }
  // Nodes and pods are watched. Figures are as far apart as --interval says, which no gap went by.
  EXPECT_EQ(watch.cluster().pace.interval, Duration(0));
  EXPECT_GE(watch.cluster().pace.figures, Duration(3600s));
  EXPECT_EQ(watch.cluster().pace.viewed, Duration(3600s));
  // What this server has none of is no source, and its requests are in the pace all the same.
  EXPECT_FALSE(watch.cluster().sources.contains(Source::kubernetes_claims));
  const auto untold = all.by_source[Source::kubernetes_claims].calls + all.by_source[Source::none].calls;
  const auto& nodes = watch.cluster().sources.at(Source::kubernetes_nodes).cost;
  EXPECT_NEAR(insight::calls_of_others(watch.cluster()),
              static_cast<double>(untold) * 60'000.0 / static_cast<double>(nodes->over.count()), 0.5);
}

}  // namespace
}  // namespace tessera::kubernetes
