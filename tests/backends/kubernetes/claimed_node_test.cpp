// A node whose GPUs a DRA driver hands out, as a run looks at it and acts on it: an API server that says what
// a test wants.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "backends/kubernetes/rights.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "tests/backends/kubernetes/one_node.hpp"

namespace tessera::kubernetes {
namespace {

namespace words = plan::words;
namespace verbs = plan::verbs;
using test::HttpScript;

std::string list_of(const std::string& items) {
  return R"({"metadata":{"resourceVersion":"9"},"items":[)" + items + "]}";
}
std::string driver_pod(const std::string& name, const std::string& created, bool of_set = true) {
  return R"({"metadata":{"namespace":"dra","name":")" + name + R"(","uid":"u-)" + name +
         R"(","creationTimestamp":")" + created +
         R"(","labels":{"app.kubernetes.io/name":"dra-driver-nvidia-gpu"},)" +
         R"("ownerReferences":[{"kind":")" + (of_set ? "DaemonSet" : "ReplicaSet") +
         R"(","name":"d"}]},"spec":{"nodeName":"n1","containers":[{"name":"gpus"}]},"status":{"phase":"Running",)"
         R"("conditions":[{"type":"Ready","status":"True"}]}})";
}
std::string claim(const std::string& name, const std::string& more, const std::string& reserved = "") {
  return R"({"metadata":{"namespace":"team","name":")" + name +
         R"("},"status":{"allocation":{"devices":{"results":[{"driver":"gpu.nvidia.com","pool":"n1","device":"gpu-0")" +
         more + "}]}}" +
         (reserved.empty() ? "" : R"(,"reservedFor":[{"resource":"pods","name":")" + reserved + R"("}])") +
         "}}";
}
std::string written(const std::string& by, const std::string& at, const std::string& label) {
  return R"({"manager":")" + by + R"(","time":")" + at + R"(","fieldsV1":{"f:metadata":{"f:labels":{"f:)" +
         label + R"(":{}}}}})";
}
const std::string kPod =
    R"({"metadata":{"namespace":"team","name":"p"},"spec":{"nodeName":"n1","containers":[{"name":"c"}],)"
    R"("resourceClaims":[{"name":"g","resourceClaimName":"c"}]},"status":{"phase":"Running"}})";
const std::string kRule = operators::device_rule("r1", NodeName("n1"));
const plan::Special kRestart{std::string(verbs::kRestartDra), {}};
constexpr const char* kCut = "2026-11-21T12:00:30Z";

class ClaimedLook : public testing::Test {
 protected:
  ClaimedLook() {
    lab.marked();
    lab.instead = [this](const HttpScript::Asked& asked) { return answer(asked); };
  }
  void ready() { lab.read_site(); }
  std::optional<OneNode::Answer> answer(const HttpScript::Asked& asked) {
    const std::string path = asked.target.substr(0, asked.target.find('?'));
    if (auto other = instead.find(asked.method + " " + path); other != instead.end()) return other->second;
    if (asked.method == "DELETE") return OneNode::Answer{200, "{}", {}};
    if (asked.method == "POST") return OneNode::Answer{201, "{}", {}};
    const std::string base = "/apis/resource.k8s.io/" + version;
    if (path == "/apis/resource.k8s.io")
      return OneNode::Answer{200,
                             R"({"preferredVersion":{"groupVersion":"resource.k8s.io/)" + version +
                                 R"("},"versions":[{"groupVersion":"resource.k8s.io/)" + version +
                                 R"("},{"groupVersion":"resource.k8s.io/v1beta2"}]})",
                             {}};
    if (path == "/apis/resource.k8s.io/v1beta2")
      return OneNode::Answer{200, R"({"resources":[{"name":"devicetaintrules"}]})", {}};
    if (path == base) return OneNode::Answer{200, R"({"resources":[{"name":"resourceslices"}]})", {}};
    if (path == base + "/resourceslices")
      return OneNode::Answer{
          200,
          list_of(R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com","nodeName":"n1",)"
                  R"("pool":{"name":"n1","generation":1,"resourceSliceCount":1},"devices":[)" +
                  devices + "]}}"),
          {}};
    if (path == base + "/resourceclaims") return OneNode::Answer{200, list_of(claims), {}};
    if (path == "/api/v1/pods") return OneNode::Answer{200, list_of(pods), {}};
    if (path == "/api/v1/nodes/n1" && asked.method == "GET")
      return OneNode::Answer{
          200,
          R"({"metadata":{"name":"n1","resourceVersion":"7","labels":{)" + labels +
              R"("nvidia.com/mig.config.state":"success"},"annotations":{)" + lab.annotations + "}" +
              (cut.empty() ? ""
                           : R"(,"managedFields":[)" + written(writer, cut, "nvidia.com/mig.config.state") +
                                 (clients.empty() ? ""
                                                  : "," + written("nvidia-mig-manager", clients,
                                                                  "nvidia.com/gpu.deploy.dcgm-exporter")) +
                                 "]") +
              R"(},"spec":{},"status":{"conditions":[{"type":"Ready","status":"True"}]}})",
          {}};
    return std::nullopt;
  }
  std::string word(std::string_view key) {
    auto facts = lab.observe();
    EXPECT_TRUE(facts.ok()) << (facts ? "" : to_line(facts.error()));
    return facts && facts->words.contains(std::string(key)) ? facts->words.at(std::string(key)) : "(none)";
  }
  std::vector<std::string> asked(const std::string& method) const {
    std::vector<std::string> all;
    for (const auto& one : lab.asked())
      if (one.method == method) all.push_back(one.target);
    return all;
  }

  std::string version = "v1", claims, cut = kCut;
  std::string writer = "nvidia-mig-manager", clients;  // who wrote the state; when the neighbours came back
  std::string labels;                                  // more of them, with a comma each
  std::string pods = driver_pod("d-1", "2026-11-21T11:00:00Z");
  std::string devices =
      R"({"name":"gpu-0","attributes":{"type":{"string":"gpu"},"uuid":{"string":"GPU-0"},"productName":{"string":)"
      R"("NVIDIA H100 80GB HBM3"}}})";
  std::map<std::string, OneNode::Answer> instead;  // by method and path
  OneNode lab;                                     // the first to go
};

class ClaimedVersions : public ClaimedLook, public testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Served, ClaimedVersions, testing::Values("v1", "v1beta1", "v1beta2"));

TEST_P(ClaimedVersions, WhatTheDriverTellsIsWhatCounts) {
  version = GetParam();
  claims = claim("c", "", "p");
  pods += "," + kPod;
  ready();
  auto facts = lab.observe();
  ASSERT_TRUE(facts.ok()) << to_line(facts.error());
  ASSERT_EQ(facts->node.gpus.size(), 1u);
  EXPECT_EQ(facts->node.gpus[0].slices.at(0).holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  EXPECT_EQ(facts->words.at(std::string(words::kDraDevices)), "GPU 0: whole");
  EXPECT_EQ(facts->words.at(std::string(words::kDraStatic)), "");
  EXPECT_EQ(facts->words.at(std::string(words::kDraDriver)), "");
  EXPECT_EQ(facts->words.at(std::string(words::kGpuPods)), "team/p has devices by the claim c");
  EXPECT_EQ(facts->words.at(std::string(words::kMigHollow)), "") << "no kubelet counts these GPUs";
}

TEST_F(ClaimedLook, AClaimThatNoPodUsesHasItsDeviceAllTheSameAndAnAdministratorsHasNone) {
  claims = claim("c", "");
  ready();
  EXPECT_EQ(word(words::kGpuPods), "the claim team/c has gpu-0");
  claims = claim("c", R"(,"adminAccess":true)");
  EXPECT_EQ(word(words::kGpuPods), "");
}

TEST_F(ClaimedLook, APodWhoseClaimIsNotToldMayHaveADevice) {
  pods += "," + kPod;
  ready();
  EXPECT_EQ(word(words::kGpuPods), "team/p has the claim c, which is not told");
}

// What could not be read is no empty list.
TEST_F(ClaimedLook, WithoutItsDevicesOrItsClaimsNothingIsToldOfTheNode) {
  ready();
  const std::string base = "GET /apis/resource.k8s.io/v1/";
  const OneNode::Answer no{403, R"({"kind":"Status","message":"no","code":403})", {}};
  for (const auto& [path, answer] :
       {std::pair(base + "resourceslices", no), std::pair(base + "resourceclaims", no),
        std::pair(base + "resourceslices", OneNode::Answer{200, "{", {}}),
        std::pair(base + "resourceslices", OneNode::Answer{200, list_of(R"({"spec":{}})"), {}}),
        std::pair(base + "resourceclaims", OneNode::Answer{200, list_of(R"({"status":{}})"), {}}),
        std::pair(base + "resourceclaims", OneNode::Answer{200, "[]", {}}),
        std::pair(std::string("GET /apis/resource.k8s.io/v1beta2/devicetaintrules/" + kRule), no)}) {
    instead = {{path, answer}};
    EXPECT_FALSE(lab.observe().ok()) << path << " " << answer.status;
  }
}

TEST_F(ClaimedLook, ADriverThatCutsOnDemandIsNoStaticOne) {
  devices =
      R"({"name":"gpu-0-mig-1g10gb-19-0","attributes":{"type":{"string":"mig"},"profile":{"string":"1g.10gb"}}})";
  ready();
  EXPECT_EQ(word(words::kDraStatic), "the DRA driver cuts GPUs itself (dynamic MIG)");
  devices =
      R"({"name":"gpu-0","attributes":{"type":{"string":"gpu"},"productName":{"string":"NVIDIA A100-SXM4-80GB"}}})";
  EXPECT_EQ(word(words::kDraStatic), "whether the DRA driver cuts GPUs itself is not certain");
}

TEST_F(ClaimedLook, OnlyAPodThatStartedAfterTheCutHasSeenIt) {
  ready();
  EXPECT_EQ(word(words::kDraAgain), "the DRA driver's pod d-1 is the one from before the cut");
  pods = driver_pod("d-1", kCut);
  EXPECT_NE(word(words::kDraAgain), "") << "of the very second: it may have been there before";
  pods = driver_pod("d-2", "2026-11-21T12:00:31Z");
  EXPECT_EQ(word(words::kDraAgain), "");
  pods = driver_pod("controller", "2026-11-21T12:00:40Z", false);
  EXPECT_EQ(word(words::kDraAgain), "the DRA driver has no pod on n1");
  pods = driver_pod("d-2", "2026-11-21T12:00:31Z");
  cut.clear();
  EXPECT_EQ(word(words::kDraAgain), "when the MIG manager ended is not told");
  cut = kCut;
  pods = driver_pod("d-2", "");
  EXPECT_EQ(word(words::kDraAgain), "since when the DRA driver's pod has run is not told");
}

// An admin who writes "success" while the manager is at work moves the time of the label: the manager's own
// word changes nothing then, and is not noted.
TEST_F(ClaimedLook, AStateThatAnotherClientHasWrittenDoesNotTellWhenTheManagerEnded) {
  pods = driver_pod("d-2", "2026-11-21T12:00:31Z");
  ready();
  for (const char* other : {"kubectl-edit", "Mozilla", "argocd-controller", ""}) {
    writer = other;
    const std::string said = word(words::kDraAgain);
    EXPECT_NE(said.find(*other ? other : "a client without a name"), std::string::npos) << said;
    EXPECT_NE(said.find("at 2026-11-21T12:00:30Z: take that label off"), std::string::npos) << said;
    const Status restarted = lab.perform(kRestart);
    ASSERT_FALSE(restarted.ok());
    EXPECT_NE(restarted.error().hint.find("then resume the run"), std::string::npos);
  }
  EXPECT_TRUE(asked("DELETE").empty());
}

// `kubectl label` is what the manager's script types, too: then the end of the cut is when its neighbours
// were let back, however early the state was written.
TEST_F(ClaimedLook, ASuccessFromBeforeTheNeighboursCameBackIsNotTheEndOfTheCut) {
  pods = driver_pod("d-2", "2026-11-21T12:00:31Z");
  writer = "kubectl-label";
  ready();
  EXPECT_EQ(word(words::kDraAgain), "");
  clients = "2026-11-21T12:02:00Z";
  EXPECT_EQ(word(words::kDraAgain), "the DRA driver's pod d-2 is the one from before the cut");
  ASSERT_TRUE(lab.perform(kRestart).ok());
  EXPECT_EQ(asked("DELETE"), std::vector<std::string>{"/api/v1/namespaces/dra/pods/d-2"});
  pods = driver_pod("d-3", "2026-11-21T12:02:01Z");
  EXPECT_EQ(word(words::kDraAgain), "");
  labels = R"("nvidia.com/gpu.deploy.dcgm-exporter":"paused-for-mig-change",)";
  EXPECT_EQ(word(words::kDraAgain),
            "the MIG manager has not let dcgm-exporter come back: it may be at work yet");
  EXPECT_FALSE(lab.perform(kRestart).ok());
}

TEST_F(ClaimedLook, OfSeveralThatHaveTheStateTheLastOneCounts) {
  pods = driver_pod("d-2", "2026-11-21T12:00:31Z");
  ready();
  clients =
      "2026-11-21T12:00:30Z\"},{\"manager\":\"kubectl-patch\",\"time\":\"2026-11-21T12:00:20Z\","
      "\"fieldsV1\":{\"f:metadata\":{\"f:labels\":{\"f:nvidia.com/mig.config.state\":{}}}}},"
      "{\"manager\":\"nvidia-mig-manager\",\"time\":\"2026-11-21T12:00:10Z";
  EXPECT_EQ(word(words::kDraAgain), "") << "the manager's own is the newer one";
}

const plan::Special kClose{std::string(verbs::kCloseDevices), {}};

TEST_F(ClaimedLook, OnlyTheDaemonSetsPodFromBeforeTheCutIsDeleted) {
  pods += "," + driver_pod("controller", "2026-11-21T11:00:00Z", false) + "," +
          driver_pod("d-2", "2026-11-21T12:00:31Z");
  ready();
  ASSERT_TRUE(lab.perform(kRestart).ok());
  EXPECT_EQ(asked("DELETE"), std::vector<std::string>{"/api/v1/namespaces/dra/pods/d-1"});
  EXPECT_NE(lab.sent("DELETE").at(0).find("u-d-1"), std::string::npos) << "the very pod that was looked at";
}

TEST_F(ClaimedLook, WithoutTheMarkOrTheTimeOfTheCutNoPodIsDeleted) {
  ready();
  EXPECT_FALSE(lab.perform(kRestart, "another").ok());
  cut.clear();
  const Status untold = lab.perform(kRestart);
  ASSERT_FALSE(untold.ok());
  EXPECT_EQ(untold.error().reason, "when the MIG manager ended is not told");
  EXPECT_TRUE(asked("DELETE").empty());
}

TEST_F(ClaimedLook, TheRuleIsAboutAllDevicesOfTheNodeAndOnlyOfTheRunThatHasIt) {
  ready();
  EXPECT_FALSE(lab.perform(kClose, "another").ok());
  EXPECT_TRUE(lab.sent("POST").empty());
  ASSERT_TRUE(lab.perform(kClose).ok());
  const std::string rule = lab.sent("POST").at(0);
  for (const std::string& part :
       {R"("name":")" + kRule + '"', std::string(R"("apiVersion":"resource.k8s.io/v1beta2")"),
        std::string(R"("pool":"n1")"), std::string(R"("driver":"gpu.nvidia.com")"),
        std::string(R"("effect":"NoSchedule")")})
    EXPECT_NE(rule.find(part), std::string::npos) << part << "\n" << rule;
  EXPECT_EQ(rule.find("\"device\""), std::string::npos) << "those that come are closed, too";
  const std::string rules = "/apis/resource.k8s.io/v1beta2/devicetaintrules";
  instead["POST " + rules] = {409, R"({"kind":"Status","message":"already exists","code":409})", {}};
  EXPECT_TRUE(lab.perform(kClose).ok()) << "its own, by its name";
  instead["POST " + rules] = {403, R"({"kind":"Status","message":"no","code":403})", {}};
  EXPECT_FALSE(lab.perform(kClose).ok());
}

// A driver whose pod is down tells of no device; who had one has it all the same, and a rule may stand.
TEST_F(ClaimedLook, WhileTheDriverIsDownItsClaimsAndTheRuleStillCount) {
  pods += "," + kPod;
  claims = claim("c", "", "p");
  ready();
  EXPECT_EQ(word(words::kGpuPods), "team/p has devices by the claim c");
  const std::string slices = "GET /apis/resource.k8s.io/v1/resourceslices";
  instead[slices] = {200, list_of(""), {}};
  instead["GET /apis/resource.k8s.io/v1beta2/devicetaintrules/" + kRule] = {200, "{}", {}};
  EXPECT_EQ(word(words::kGpuPods), "team/p has devices by the claim c");
  EXPECT_EQ(word(words::kDevices), "closed");
  auto seen = lab.observe();
  ASSERT_TRUE(seen.ok());
  EXPECT_EQ(seen->workloads.size(), 1u) << "a run that waits for it does not pass it by";
  claims = claim("c", "");
  pods = driver_pod("d-1", "2026-11-21T11:00:00Z");
  EXPECT_EQ(word(words::kGpuPods), "the claim team/c has gpu-0") << "by the pool's name, which is the node's";
}

TEST(DeviceRule, IsOneForEachNodeOfARun) {
  EXPECT_NE(kRule, operators::device_rule("r1", NodeName("n2")));
  EXPECT_NE(kRule, operators::device_rule("r2", NodeName("n1")));
  EXPECT_TRUE(kRule.starts_with("tessera-r1-")) << kRule;
}

// Whatever becomes of the run.
TEST_F(ClaimedLook, TheRuleGoesWithTheMark) {
  ready();
  const std::string rule = "/apis/resource.k8s.io/v1beta2/devicetaintrules/" + kRule;
  EXPECT_EQ(word(words::kDevices), "open");
  instead["GET " + rule] = {200, "{}", {}};
  EXPECT_EQ(word(words::kDevices), "closed");
  instead["PATCH /api/v1/nodes/n1"] = {200, "{}", {}};
  ASSERT_TRUE(lab.perform(plan::ClearMark{}).ok());
  EXPECT_EQ(asked("DELETE"), std::vector<std::string>{rule});
  EXPECT_EQ(asked("PATCH").size(), 1u);
  instead["GET " + rule] = {503, "{}", {}};
  instead["DELETE " + rule] = {500, "{}", {}};
  EXPECT_FALSE(lab.perform(plan::ClearMark{}, "r1", std::chrono::seconds(3)).ok());
  EXPECT_EQ(asked("PATCH").size(), 1u) << "the mark stays while the rule may";
  instead["GET " + rule] = {403, R"({"kind":"Status","message":"no","code":403})", {}};
  EXPECT_TRUE(lab.perform(plan::ClearMark{}).ok()) << "who may not read rules has made none";
}

TEST(ClaimedRights, AreThoseOfTheDriversNamespaceAndOfRulesWhereThereAreAny) {
  const auto all = [](const operators::OperatorSetup& site) {
    std::string text;
    for (const Right& right : rights_to_change(site)) text += right.text() + "; ";
    return text;
  };
  operators::OperatorSetup site;
  site.ns = "gpu-operator";
  EXPECT_EQ(all(site).find("devicetaintrules"), std::string::npos);
  site.dra_ns = "dra";
  EXPECT_NE(all(site).find("delete pods in dra; "), std::string::npos);
  EXPECT_EQ(all(site).find("devicetaintrules"), std::string::npos) << "the server has none";
  site.rules_api = "resource.k8s.io/v1beta2";
  EXPECT_NE(all(site).find("create devicetaintrules; get devicetaintrules; delete devicetaintrules; "),
            std::string::npos);
  site.ns.clear();
  EXPECT_NE(all(site).find("delete pods in dra; "), std::string::npos) << "without an operator, too";
}

}  // namespace
}  // namespace tessera::kubernetes
