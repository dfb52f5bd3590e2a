// The stand-in API server knows the fields that a real one knows, where tessera writes.
#include "backends/sim/apiserver/api.hpp"
#include "backends/sim/apiserver/schema.hpp"
#include "backends/sim/gpu_operator/cluster.hpp"
#include "tests/backends/sim/worlds.hpp"

namespace tessera::sim::kube {
namespace {

Json parsed(std::string_view text) {
  Result<Json> value = parse_json(text, "test");
  EXPECT_TRUE(value) << text;
  return value ? *value : Json();
}

TEST(KubeSchema, FieldsThatNoServerKnowsAreFoundWhereTesseraWrites) {
  struct Case {
    const char *group, *version, *resource, *object;
    std::vector<std::string> unknown;
  };
  Kinds kinds;
  add_operator_kinds(kinds);
  for (const Case& one :
       {Case{"", "v1", "nodes", R"({"metadata":{"labels":{"a":"b"}},"spec":{"unschedulable":true}})", {}},
        Case{"",
             "v1",
             "nodes",
             R"({"spec":{"unschedulabel":true},"data":{}})",
             {"data", "spec.unschedulabel"}},
        Case{"", "v1", "configmaps", R"({"data":{"any":"x"},"spec":{}})", {"spec"}},
        Case{"nvidia.com",
             "v1",
             "clusterpolicies",
             R"({"spec":{"migManager":{"config":{"name":"m","nmae":"m"}},"daemonsets":{"x":1}}})",
             {"spec.migManager.config.nmae"}},
        Case{"nvidia.com",
             "v1",
             "clusterpolicies",
             R"({"spec":{"devicePlugin":{"config":{"name":"p","default":"d","fallback":"x"}}}})",
             {"spec.devicePlugin.config.fallback"}}}) {
    const ResourceKind* kind = kinds.find(one.group, one.version, one.resource);
    ASSERT_TRUE(kind) << one.resource;
    EXPECT_EQ(unknown_fields(*kind, parsed(one.object)), one.unknown) << one.object;
  }
  EXPECT_EQ(
      unknown_in_eviction(parsed(R"({"kind":"Eviction","deleteOptions":{"preconditions":{"uuid":"x"}}})")),
      std::vector<std::string>{"deleteOptions.preconditions.uuid"});
}

// A patch with a field that the operator does not know reports success and changes nothing.
TEST(KubeSchema, ACustomResourceLosesWhatItsSchemaDoesNotHave) {
  TimePoint wall{std::chrono::hours(24)};
  Cluster cluster(sim::WorldStore(std::move(worlds_of("kubernetes").front())), 1, [&] { return wall; });
  Api api(cluster);
  auto patch = [&](const std::string& query) {
    return api
        .answer({}, {"PATCH",
                     "/apis/nvidia.com/v1/clusterpolicies/cluster-policy" + query,
                     {{"Content-Type", "application/merge-patch+json"}},
                     R"({"spec":{"migManager":{"config":{"nmae":"ours"}}}})"})
        .http;
  };
  HttpAnswer strict = patch("?fieldValidation=Strict");
  EXPECT_EQ(strict.status, 400);
  EXPECT_NE(strict.body.find(R"(unknown field \"spec.migManager.config.nmae\")"), std::string::npos)
      << strict.body;
  HttpAnswer told = patch("");
  EXPECT_EQ(told.status, 200) << told.body;
  EXPECT_EQ(told.body.find("nmae"), std::string::npos) << told.body;
  EXPECT_NE(told.body.find(R"("strategy")"), std::string::npos) << "the rest stays";
}

}  // namespace
}  // namespace tessera::sim::kube
