// What a plan needs and cannot be read is reported by doctor, with the API server's words.
#include "engine/operators/operator_setup.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kPolicies =
    R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"cluster-policy","resourceVersion":"9"},)"
    R"("spec":{"migManager":{"config":{"name":"site-layouts"}},"devicePlugin":{"config":{"name":"site-plugin",)"
    R"("default":"default"}}},"status":{"state":"ready","namespace":"gpu-operator"}}]})";

struct Forbidden {
  const char* path;  // part of it
  const char* told;
};

class KubernetesReadings : public testing::TestWithParam<Forbidden> {};

TEST_P(KubernetesReadings, AreToldWhereTheyFail) {
  LabApi api;
  api.nodes = {{"a", gpu_node("a")}};
  const Forbidden forbidden = GetParam();
  api.instead = [&](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (query.find("watch=") != std::string::npos) return std::nullopt;
    if (path.find(forbidden.path) != std::string::npos)
      return LabApi::Answer{403, R"({"kind":"Status","message":"eve may not read that","code":403})", {}};
    if (path == "/apis/nvidia.com/v1/clusterpolicies") return LabApi::Answer{200, kPolicies, {}};
    return std::nullopt;
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  auto remark = [&](const Cluster& cluster) -> const Remark* {
    auto found = cluster.remarks.find(Source::kubernetes_operator);
    if (found == cluster.remarks.end()) return nullptr;
    for (const Remark& one : found->second)
      if (one.text.find(forbidden.told) != std::string::npos) return &one;
    return nullptr;
  };
  ASSERT_TRUE(watch.until([&](const Cluster& cluster) { return remark(cluster) != nullptr; }));
  const Remark* told = remark(watch.cluster());
  EXPECT_NE(told->text.find("eve may not read that"), std::string::npos) << told->text;
  EXPECT_NE(told->hint.find("plans that rest on it are refused"), std::string::npos) << told->hint;
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, KubernetesReadings,
    testing::Values(Forbidden{"/configmaps/site-layouts", "the MIG configurations"},
                    Forbidden{"/configmaps/site-plugin", "the device plugin's configurations"},
                    Forbidden{"/clusterpolicies", "the ClusterPolicy"},
                    Forbidden{"/apis/nvidia.com/v1alpha1", "whether a GPUCluster exists"},
                    Forbidden{"/apis/resource.k8s.io", "which devices DRA drivers hand out"}));

}  // namespace
}  // namespace tessera::kubernetes
