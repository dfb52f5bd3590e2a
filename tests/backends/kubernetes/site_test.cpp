// How the operator is set up, read from an API server that fails in every way, one part at a time; and writes
// that other nodes share, when the cluster is not any more what the plan was made on.
#include <gtest/gtest.h>

#include <future>

#include "backends/kubernetes/change/actuator.hpp"
#include "backends/kubernetes/change/site_reader.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "engine/time.hpp"
#include "tests/support/catalogue.hpp"
#include "tests/support/http_script.hpp"

namespace tessera::kubernetes::site_story {
namespace {

using namespace std::chrono_literals;
using operators::Reading;
using operators::SitePart;
using test::HttpScript;

TimePoint noon() { return *parse_utc("2026-11-21T12:00:00Z"); }

constexpr const char* kFile =
    "version: v1\nmig-configs:\n  all-disabled:\n  - {devices: all, mig-enabled: false}\n"
    "  all-1g.10gb:\n  - {devices: all, mig-enabled: true, mig-devices: {1g.10gb: 7}}\n";

std::string items(const std::string& all) {
  return R"({"metadata":{"resourceVersion":"9"},"items":[)" + all + "]}";
}
std::string config_map(const std::string& name, const std::string& key, const std::string& text,
                       const std::string& labels = "") {
  return R"({"metadata":{"name":")" + name + R"(","resourceVersion":"5","labels":{)" + labels +
         R"(}},"data":{")" + key + "\":" + to_line(Json::of(text)) + "}}";
}
std::string node(const std::string& name, const std::string& mig, const std::string& more = "") {
  return R"({"metadata":{"name":")" + name +
         R"(","labels":{"nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"2",)" +
         R"("nvidia.com/mig.config":")" + mig + "\"" + more + "}}}";
}

const std::string kPolicies = "/apis/nvidia.com/v1/clusterpolicies";
const std::string kAlpha = "/apis/nvidia.com/v1alpha1";
const std::string kMaps = "/api/v1/namespaces/gpu-operator/configmaps";

// An API server of a GPU operator: what it says by path, and what it says instead of an answer.
class SiteApi {
 public:
  using Answer = HttpScript::Answer;
  SiteApi()
      : script_([this](const HttpScript::Asked& asked) { return answer(asked); }),
        client_(worker_, {script_.socket(), "", 0}) {
    objects[kPolicies] = items(policy("", "plugin-configs"));
    objects[kPolicies + "/cluster-policy"] = policy("", "plugin-configs");
    objects["/apis/resource.k8s.io"] =
        R"({"kind":"APIGroup","preferredVersion":{"groupVersion":"resource.k8s.io/v1"}})";
    objects["/apis/resource.k8s.io/v1/resourceslices"] = items("");
    objects["/api/v1/nodes"] = items(node("n1", "all-disabled") + "," + node("n2", "all-1g.10gb"));
    objects[kMaps + "/default-mig-parted-config"] =
        config_map("default-mig-parted-config", "config.yaml", kFile);
    objects[kMaps] =
        items(config_map("n1-mig-config", "config.yaml", kFile, R"("nvidia.com/node-name":"n1")") + "," +
              config_map("n2-mig-config", "config.yaml", kFile, R"("nvidia.com/node-name":"n2")"));
    objects[kMaps + "/plugin-configs"] = config_map("plugin-configs", "default", "version: v1\n");
    worker_.post([this] { actuator_.connect(client_); });
  }
  ~SiteApi() { worker_.stop(); }

  std::map<std::string, std::string> objects;  // by path; others are 404. Between questions only
  std::map<std::string, Answer> trouble;       // by path: comes instead

  static std::string policy(const std::string& mig, const std::string& plugin, const std::string& more = "") {
    return R"({"metadata":{"name":"cluster-policy","resourceVersion":"77"},"spec":{"mig":{"strategy":"mixed"},)"
           R"("migManager":{"config":{"name":")" +
           mig + R"("}},"devicePlugin":{"config":{"name":")" + plugin +
           R"(","default":"default"},"version":"v0.19.0"}},"status":{"namespace":"gpu-operator"}})" + more;
  }
  SitePtr read(SitePtr before = nullptr, TimePoint now = noon()) {
    std::promise<SitePtr> promise;
    worker_.post([&] {
      read_site(std::make_shared<Api>(worker_, client_), before, now,
                [&](SitePtr site) { promise.set_value(std::move(site)); });
    });
    return promise.get_future().get();
  }
  // By an actuator that has read the site once.
  Status perform(plan::Special act) {
    std::promise<Status> promise;
    know();
    actuator_.perform({NodeName("n1"), std::move(act), {"r1", "ann", "here", noon()}, "n1/7", {}},
                      [&](Result<Done> told) { promise.set_value(std::move(told)); });
    return promise.get_future().get();
  }
  Result<plan::NodeFacts> look() {
    std::promise<Result<plan::NodeFacts>> promise;
    know();
    actuator_.observe(NodeName("n1"),
                      [&](Result<plan::NodeFacts> told) { promise.set_value(std::move(told)); });
    return promise.get_future().get();
  }
  std::vector<HttpScript::Asked> sent(const std::string& method) const {
    std::vector<HttpScript::Asked> all;
    for (const auto& asked : script_.asked())
      if (asked.method == method) all.push_back(asked);
    return all;
  }

 private:
  void know() {
    if (std::exchange(asked_to_know_, true)) return;
    worker_.post([this] { actuator_.read_site(); });
    known_.get_future().wait();
  }
  Answer answer(const HttpScript::Asked& asked) {
    std::string path = asked.target.substr(0, asked.target.find('?'));
    if (auto other = trouble.find(path); other != trouble.end()) return other->second;
    if (auto found = objects.find(path); found != objects.end()) return {200, found->second, {}};
    if (asked.method == "POST") return {201, asked.body, {}};
    return {404, R"({"kind":"Status","message":"not found","code":404})", {}};
  }
  HttpScript script_;
  Worker worker_;
  HttpClient client_;
  bool told_ = false, asked_to_know_ = false;
  std::promise<void> known_;
  KubernetesActuator actuator_{worker_,
                               {&test::catalogue(),
                                noon,
                                [this](const SitePtr&) {
                                  if (!std::exchange(told_, true)) known_.set_value();
                                },
                                {}}};
};

HttpScript::Answer raw(const std::string& text) {
  HttpScript::Answer answer;
  answer.raw = text;
  return answer;
}
HttpScript::Answer status(int code) {
  return {code, R"({"kind":"Status","message":"not now","code":)" + std::to_string(code) + "}", {}};
}

// Everything that is neither a value nor "it is not there".
const std::map<std::string, HttpScript::Answer>& troubles() {
  static const std::map<std::string, HttpScript::Answer> kAll = {
      {"401", status(401)},
      {"403", status(403)},
      {"429", status(429)},
      {"500", status(500)},
      {"503", status(503)},
      {"dropped", raw("HTTP/1.1")},
      {"half", raw("HTTP/1.1 200 OK\r\nContent-Length: 4000\r\n\r\n{\"items\":[")},
      {"garbage", {200, "<html>log in first</html>", {}}},
      {"something else", {200, R"({"kind":"Status","status":"Success"})", {}}}};
  return kAll;
}

struct PartAt {
  SitePart part;
  std::string path;
};
std::vector<PartAt> parts() {
  return {{SitePart::gpu_cluster, kAlpha},
          {SitePart::devices, "/apis/resource.k8s.io"},
          {SitePart::devices, "/apis/resource.k8s.io/v1/resourceslices"},
          {SitePart::policy, kPolicies},
          {SitePart::fleet, "/api/v1/nodes"},
          {SitePart::mig_config, kMaps + "/default-mig-parted-config"},
          {SitePart::generated, kMaps},
          {SitePart::plugin_config, kMaps + "/plugin-configs"}};
}

// What plans are written from, whenever it was read.
std::string content_of(const operators::OperatorSetup& site) {
  std::string all = site.policy + site.ns + site.gpu_cluster + site.mig_config_map + site.plugin_config_map +
                    (site.mig_config ? site.mig_config->text : "none");
  for (const auto& [name, labels] : site.labels)
    for (const auto& [key, value] : labels) all += name + key + value;
  for (const auto& [name, file] : site.node_config) all += name + file->text;
  for (const auto& [key, text] : site.plugin_configs) all += key + text;
  return all;
}

TEST(KubeSite, EveryPartOfAHealthyClusterIsKnown) {
  SiteApi api;
  SitePtr site = api.read();
  EXPECT_EQ(site->readings.why_not_fresh({SitePart::gpu_cluster, SitePart::policy, SitePart::name_space,
                                          SitePart::fleet, SitePart::mig_config, SitePart::generated,
                                          SitePart::plugin_config}),
            std::nullopt);
  EXPECT_EQ(site->readings.of(SitePart::gpu_cluster).is, Reading::Is::absent);
  EXPECT_EQ(site->readings.of(SitePart::devices).is, Reading::Is::absent);
  EXPECT_EQ(site->labels.size(), 2u);
  EXPECT_EQ(site->node_config.size(), 2u);
  EXPECT_EQ(site->plugin_configs.at("default"), "version: v1\n");
}

TEST(KubeSite, AnErrorIsNeitherAnEmptyListNorAbsence) {
  for (const PartAt& one : parts()) {
    for (const auto& [name, trouble] : troubles()) {
      SCOPED_TRACE(one.path + " " + name);
      SiteApi api;
      api.trouble[one.path] = trouble;
      SitePtr site = api.read();
      EXPECT_EQ(site->readings.of(one.part).is, Reading::Is::unknown);
      ASSERT_TRUE(site->readings.of(one.part).failure);
      EXPECT_FALSE(site->readings.of(one.part).failure->reason.empty());
      EXPECT_TRUE(site->readings.why_unknown({one.part}));
    }
  }
}

TEST(KubeSite, ATroubleThatPassesErasesNothingAndItsAgeIsKnown) {
  for (const PartAt& one : parts()) {
    for (const auto& [name, trouble] : troubles()) {
      SCOPED_TRACE(one.path + " " + name);
      SiteApi api;
      SitePtr before = api.read();
      api.trouble[one.path] = trouble;
      SitePtr site = api.read(before, noon() + 5min);
      const Reading& reading = site->readings.of(one.part);
      EXPECT_EQ(reading.is, before->readings.of(one.part).is);
      EXPECT_EQ(reading.at, noon());
      EXPECT_TRUE(reading.failure);
      EXPECT_EQ(site->readings.why_unknown({one.part}), std::nullopt);
      std::string why = site->readings.why_not_fresh({one.part}).value_or("");
      EXPECT_NE(why.find("could not be read since 2026-11-21 12:00:00 UTC"), std::string::npos) << why;
      EXPECT_EQ(content_of(*before), content_of(*site)) << "what is kept is what was read";
      api.trouble.clear();
      site = api.read(site, noon() + 6min);
      EXPECT_FALSE(site->readings.any_failed());
      EXPECT_EQ(site->readings.of(one.part).at, noon() + 6min);
    }
  }
}

TEST(KubeSite, OnlyA404MeansThatItIsNotThere) {
  SiteApi api;
  SitePtr before = api.read();
  api.objects.erase(kMaps + "/plugin-configs");
  SitePtr site = api.read(before);
  EXPECT_EQ(site->readings.of(SitePart::plugin_config).is, Reading::Is::absent);
  EXPECT_TRUE(site->plugin_configs.empty());
  api.objects.erase(kPolicies);
  site = api.read(site);
  EXPECT_EQ(site->readings.of(SitePart::policy).is, Reading::Is::absent);
  EXPECT_EQ(site->policy, "");
  EXPECT_TRUE(site->labels.empty());
}

// Half a fleet looks like one in which the other half has no labels.
TEST(KubeSite, AFleetWhosePagesBreakOffIsNotTakenForASmallerOne) {
  SiteApi api;
  SitePtr before = api.read();
  api.trouble["/api/v1/nodes"] = {
      200, R"({"metadata":{"resourceVersion":"9","continue":"more"},"items":[)" + node("n1", "x") + "]}", {}};
  SitePtr site = api.read(before);  // every page says that there is the same one more
  EXPECT_EQ(site->labels.size(), 2u);
  ASSERT_TRUE(site->readings.of(SitePart::fleet).failure);
  EXPECT_NE(site->readings.of(SitePart::fleet).failure->reason.find("refers to itself"), std::string::npos);
}

TEST(KubeSite, WhatWasReadOfAnotherConfigMapIsForgotten) {
  SiteApi api;
  SitePtr before = api.read();
  api.objects[kPolicies] = items(SiteApi::policy("site-layouts", "plugin-configs"));
  api.trouble[kMaps + "/site-layouts"] = status(503);
  SitePtr site = api.read(before);
  EXPECT_EQ(site->readings.of(SitePart::mig_config).is, Reading::Is::unknown);
  EXPECT_EQ(site->mig_config, nullptr);
  EXPECT_TRUE(site->node_config.empty()) << "the MIG managers read the site's file now";
}

TEST(KubeSite, AGpuClusterIsFoundWhereItsKindIsServed) {
  SiteApi api;
  api.objects[kAlpha] =
      R"({"kind":"APIResourceList","resources":[{"name":"nvidiadrivers","kind":"NVIDIADriver"}]})";
  EXPECT_EQ(api.read()->readings.of(SitePart::gpu_cluster).is, Reading::Is::absent);
  api.objects[kAlpha] =
      R"({"kind":"APIResourceList","resources":[{"name":"gpuclusters","kind":"GPUCluster"},)"
      R"({"name":"gpuclusters/status","kind":"GPUCluster"}]})";
  api.objects[kAlpha + "/gpuclusters"] = items("");
  EXPECT_EQ(api.read()->readings.of(SitePart::gpu_cluster).is, Reading::Is::absent);
  api.objects[kAlpha + "/gpuclusters"] = items(R"({"metadata":{"name":"gpu-cluster"}})");
  EXPECT_EQ(api.read()->gpu_cluster, "gpu-cluster");
  for (const auto& [name, trouble] : troubles()) {
    api.trouble[kAlpha + "/gpuclusters"] = trouble;
    EXPECT_EQ(api.read()->readings.of(SitePart::gpu_cluster).is, Reading::Is::unknown) << name;
  }
}

TEST(KubeSite, APolicyThatTheOperatorIgnoresIsNotTheOneInForce) {
  SiteApi api;
  api.objects[kPolicies] =
      items(R"({"metadata":{"name":"old"},"status":{"state":"ignored","namespace":"elsewhere"}},)" +
            SiteApi::policy("", ""));
  EXPECT_EQ(api.read()->policy, "cluster-policy");
}

// ── writes that other nodes share ─────────────────────────────────────────────────────────────────────

operators::MigConfig two_by_three() {
  operators::MigConfig config;
  operators::MigRow row;
  row.enabled = true;
  row.counts = {{"3g.40gb", 2}};
  config.rows = {row};
  config.name = operators::name_of(config.rows);
  return config;
}
plan::Special write_mig() {
  operators::MigConfig config = two_by_three();
  return {"write-mig-config",
          {{"map", "tessera-mig-config"},
           {"found", ""},
           {"name", config.name},
           {"entry", operators::document_of({config})},
           {"text", operators::with_config(kFile, config, "f").value()}}};
}
plan::Special point_at(const std::string& map) {
  return {"patch-cluster-policy",
          {{"policy", "cluster-policy"},
           {"found", ""},
           {"patch", R"({"spec":{"migManager":{"config":{"name":")" + map + "\"}}}}"}}};
}
void expect_refused(SiteApi& api, plan::Special act, const std::string& why) {
  Status refused = api.perform(std::move(act));
  ASSERT_FALSE(refused) << why;
  EXPECT_NE(to_line(refused.error()).find(why), std::string::npos) << to_line(refused.error());
  EXPECT_TRUE(api.sent("POST").empty());
  EXPECT_TRUE(api.sent("PATCH").empty());
}

TEST(KubeSharedWrites, TheConfigMapIsMadeAndThePolicyPointedOnWhatWasJustRead) {
  SiteApi api;
  ASSERT_TRUE(api.perform(write_mig()));
  ASSERT_EQ(api.sent("POST").size(), 1u);
  SiteApi next;
  next.objects[kMaps + "/tessera-mig-config"] =
      config_map("tessera-mig-config", "config.yaml", write_mig().arguments.at("text"));
  ASSERT_TRUE(next.perform(point_at("tessera-mig-config")));
  ASSERT_EQ(next.sent("PATCH").size(), 1u);
  EXPECT_NE(next.sent("PATCH")[0].body.find(R"("resourceVersion":"77")"), std::string::npos);
}

// A run that was planned days ago, when all nodes used what the new file has as well.
TEST(KubeSharedWrites, NothingIsWrittenWhenAnotherNodeBeganToUseWhatTheFileLacks) {
  for (bool policy : {false, true}) {
    SiteApi api;
    api.objects[kMaps + "/tessera-mig-config"] =
        config_map("tessera-mig-config", "config.yaml", write_mig().arguments.at("text"));
    api.objects["/api/v1/nodes"] = items(node("n1", "all-disabled") + "," + node("n2", "all-balanced"));
    const std::string more =
        std::string(kFile) +
        "  all-balanced:\n  - {devices: all, mig-enabled: true, mig-devices: {7g.80gb: 1}}\n";
    api.objects[kMaps] =
        items(config_map("n2-mig-config", "config.yaml", more, R"("nvidia.com/node-name":"n2")"));
    expect_refused(api, policy ? point_at("tessera-mig-config") : write_mig(),
                   "n2: selected mig-config not present: all-balanced");
  }
}

TEST(KubeSharedWrites, NothingIsWrittenWhenAnotherAdminHasGivenTheOperatorAFile) {
  SiteApi api;
  api.objects[kPolicies] = items(SiteApi::policy("their-layouts", "plugin-configs"));
  api.objects[kMaps + "/their-layouts"] = config_map("their-layouts", "config.yaml", kFile);
  expect_refused(api, write_mig(), "the ClusterPolicy names their-layouts for the MIG manager now");
}

TEST(KubeSharedWrites, NothingIsWrittenWhileAPartOfTheFleetCannotBeRead) {
  for (const PartAt& one : parts()) {
    if (one.part == SitePart::gpu_cluster || one.part == SitePart::devices) continue;  // asked when planning
    SCOPED_TRACE(one.path);
    SiteApi api;
    (void)api.read();
    api.trouble[one.path] = status(500);
    expect_refused(api, write_mig(),
                   one.part == SitePart::policy ? "namespace is not known" : "could not be read");
  }
}

TEST(KubeSharedWrites, AJournalThatDoesNotTellWhatItFoundWritesNothing) {
  SiteApi api;
  plan::Special act = write_mig();
  act.arguments.erase("found");
  expect_refused(api, act, "does not name the ConfigMap that was in use");
}

TEST(KubeSharedWrites, APatchOfThePolicyIsAboutOneConfigMapAndNothingElse) {
  SiteApi api;
  plan::Special act = point_at("tessera-mig-config");
  act.arguments["patch"] =
      R"({"spec":{"migManager":{"config":{"name":"tessera-mig-config"}},"driver":{"enabled":false}}})";
  expect_refused(api, act, "the patch is about more");
  act.arguments["patch"] =
      R"({"spec":{"migManager":{"config":{"name":"tessera-mig-config"}}},"metadata":{"labels":{"a":"b"}}})";
  expect_refused(api, act, "the patch is about more");
}

TEST(KubeSharedWrites, ANodeWhosePluginConfigurationTheNewMapLacksKeepsThePolicyAsItIs) {
  SiteApi api;
  api.objects[kPolicies] = items(SiteApi::policy("", ""));
  api.objects["/api/v1/nodes"] =
      items(node("n2", "all-disabled", R"(,"nvidia.com/device-plugin.config":"shared4")"));
  plan::Special act{"write-plugin-config",
                    {{"map", "tessera-device-plugin-config"},
                     {"found", ""},
                     {"name", "tessera-ts4-00000000"},
                     {"text", "version: v1\n"},
                     {"base", "version: v1\n"}}};
  expect_refused(api, act, "n2: its label names shared4, which tessera-device-plugin-config lacks");
}

// The device plugin's ConfigMap is the site's: an entry of ours that another has edited is theirs.
TEST(KubeSharedWrites, AnEntryOfThatNameWithAnotherContentIsNeverOverwritten) {
  SiteApi api;
  api.objects[kMaps + "/plugin-configs"] =
      R"({"metadata":{"name":"plugin-configs","resourceVersion":"5"},"data":{"default":"version: v1\n",)"
      R"("tessera-ts4-00000000":"version: v1\n# edited\n"}})";
  plan::Special act{"write-plugin-config",
                    {{"map", "plugin-configs"},
                     {"found", "plugin-configs"},
                     {"name", "tessera-ts4-00000000"},
                     {"text", "version: v1\nsharing: {}\n"}}};
  expect_refused(api, act, "it exists with different content");
  SiteApi same;
  same.objects[kMaps + "/plugin-configs"] =
      config_map("plugin-configs", "tessera-ts4-00000000", "version: v1\n");
  act.arguments["text"] = "version: v1\n";
  EXPECT_TRUE(same.perform(act));
  EXPECT_TRUE(same.sent("PATCH").empty());
}

// That it cannot be read does not mean that it is not there.
TEST(KubeSharedWrites, AConfigMapThatCannotBeReadIsNotMade) {
  for (int code : {403, 500}) {
    SCOPED_TRACE(code);
    SiteApi api;
    api.trouble[kMaps + "/tessera-mig-config"] = status(code);
    expect_refused(api, write_mig(), "not now");
  }
}

TEST(KubeSharedWrites, AnEntryWhoseNameStandsForAnotherLayoutIsNotWritten) {
  SiteApi api;
  plan::Special act = write_mig();
  std::string& entry = act.arguments["entry"];
  entry.replace(entry.find(": 2"), 3, ": 1");
  expect_refused(api, act, "its name does not fit its content");
}

// By another tessera, or by a hand: their file would be overwritten by ours.
TEST(KubeSharedWrites, AConfigMapIsChangedAsItWasReadAndNotOtherwise) {
  SiteApi api;
  api.objects[kPolicies] = items(SiteApi::policy("their-layouts", "plugin-configs"));
  api.objects[kMaps + "/their-layouts"] = config_map("their-layouts", "config.yaml", kFile);
  plan::Special act = write_mig();
  act.arguments["map"] = act.arguments["found"] = "their-layouts";
  act.arguments.erase("text");
  ASSERT_TRUE(api.perform(act));
  ASSERT_EQ(api.sent("PATCH").size(), 1u);
  EXPECT_NE(api.sent("PATCH")[0].body.find(R"("resourceVersion":"5")"), std::string::npos)
      << api.sent("PATCH")[0].body;
}

TEST(KubeSharedWrites, APolicyThatNamesAnotherFileByThenIsNotPointedAway) {
  SiteApi api;
  api.objects[kMaps + "/tessera-mig-config"] =
      config_map("tessera-mig-config", "config.yaml", write_mig().arguments.at("text"));
  // The list is as it was; the policy itself has changed since it was listed.
  api.objects[kPolicies + "/cluster-policy"] = SiteApi::policy("their-layouts", "plugin-configs");
  expect_refused(api, point_at("tessera-mig-config"), "the ClusterPolicy names their-layouts by now");
}

// As the look of a run reads it: what its components read is not known then.
TEST(KubeSharedWrites, AConfigMapThatALookCannotReadIsNotTakenForNone) {
  SiteApi api;
  api.objects["/api/v1/nodes/n1"] = R"({"metadata":{"name":"n1"},"spec":{},"status":{}})";
  api.objects["/api/v1/pods"] = items("");
  Result<plan::NodeFacts> whole = api.look();
  ASSERT_TRUE(whole) << to_line(whole.error());
  api.trouble[kMaps + "/plugin-configs"] = status(403);
  Result<plan::NodeFacts> facts = api.look();
  ASSERT_FALSE(facts);
  EXPECT_NE(facts.error().reason.find("not now"), std::string::npos) << to_line(facts.error());
}

}  // namespace
}  // namespace tessera::kubernetes::site_story
