// Devices of a DRA driver, and the claims by which pods hold them: from the API's objects to slices with
// holders.
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kSlicesPath = "/apis/resource.k8s.io/v1/resourceslices";
constexpr const char* kClaimsPath = "/apis/resource.k8s.io/v1/resourceclaims";

std::string dra_device(const std::string& name, const std::string& more) {
  return R"({"name":")" + name + R"(","attributes":{"productName":{"string":"NVIDIA H100 80GB HBM3"},)" +
         more + R"(},"capacity":{"memory":{"value":"80Gi"}}})";
}
std::string whole_device(int gpu) {
  std::string n = std::to_string(gpu);
  return dra_device("gpu-" + n, R"("type":{"string":"gpu"},"uuid":{"string":"GPU-)" + n + R"("})");
}
// Without a UUID it could be made, and is not.
std::string mig_device(int gpu, int start, bool made) {
  std::string n = std::to_string(gpu);
  return dra_device("gpu-" + n + "-mig-1g10gb-19-" + std::to_string(start),
                    R"("type":{"string":"mig"},"profile":{"string":"1g.10gb"},"parentUUID":{"string":"GPU-)" +
                        n + R"("})" +
                        (made ? R"(,"uuid":{"string":"MIG-)" + n + std::to_string(start) + R"("})" : ""));
}
std::string resource_slice(const std::string& devices, int generation = 1, const std::string& name = "s") {
  return R"({"metadata":{"name":")" + name +
         R"(","resourceVersion":"7"},"spec":{"driver":"gpu.nvidia.com","nodeName":"a",)"
         R"("pool":{"name":"a","generation":)" +
         std::to_string(generation) + R"(},"devices":[)" + devices + "]}}";
}
// device, pod empty: none yet.
std::string resource_claim(const std::string& name, const std::string& device, const std::string& pod,
                           const std::string& driver = "gpu.nvidia.com") {
  std::string status = R"({})";
  if (!device.empty())
    status = R"({"allocation":{"devices":{"results":[{"request":"r","driver":")" + driver +
             R"(","pool":"a","device":")" + device + R"("}]}})" +
             (pod.empty() ? "" : R"(,"reservedFor":[{"resource":"pods","name":")" + pod + R"("}])") + "}";
  std::string device_class = driver == "gpu.nvidia.com" ? "mig.nvidia.com" : "nic";
  return R"({"metadata":{"namespace":"team","name":")" + name +
         R"(","resourceVersion":"8"},"spec":{"devices":{"requests":[{"name":"r","exactly":{)"
         R"("deviceClassName":")" +
         device_class + R"(","allocationMode":"ExactCount","count":1}}]}},"status":)" + status + "}";
}
std::string claiming_pod(const std::string& name, const std::string& claim, bool runs = true) {
  return R"({"metadata":{"namespace":"team","name":")" + name + R"("},"spec":{)" +
         (runs ? R"("nodeName":"a",)" : "") +
         R"("containers":[{"resources":{"claims":[{"name":"g"}]}}],"resourceClaims":[{"name":"g",)"
         R"("resourceClaimName":")" +
         claim + R"("}]},"status":{"phase":")" + (runs ? "Running" : "Pending") + R"("}})";
}

class Claimed : public testing::Test {
 protected:
  Claimed() {
    // Nothing but the driver's slices speaks of GPUs.
    api.nodes = {{"a", node_json("a", {}, {})}};
    slices = {resource_slice(whole_device(0) + "," + mig_device(1, 0, true) + "," + mig_device(1, 4, true) +
                             "," + mig_device(0, 2, false))};
    claims = {resource_claim("c-p", "gpu-0", "p"), resource_claim("c-q", "gpu-1-mig-1g10gb-19-4", "q"),
              resource_claim("c-w", "", ""), resource_claim("c-net", "nic-0", "r", "dra.net")};
    api.pods = {{"p", claiming_pod("p", "c-p")},
                {"q", claiming_pod("q", "c-q")},
                {"w", claiming_pod("w", "c-w", false)},
                {"r", claiming_pod("r", "c-net")}};
    api.instead = [this](const std::string& path, const std::string& query) {
      return answer(path, query.find("watch=1") != std::string::npos);
    };
  }
  std::optional<LabApi::Answer> answer(const std::string& path, bool watch) const {
    bool of_slices = path == base + "resourceslices", of_claims = path == base + "resourceclaims";
    if (of_claims && refused) return *refused;
    if (watch || (!of_slices && !of_claims)) return std::nullopt;
    return LabApi::Answer{200, list_json(of_slices ? slices : claims, "100"), {}};
  }
  static const Node& a(const Cluster& cluster) { return *cluster.nodes.find(NodeName("a")); }

  std::string base = "/apis/resource.k8s.io/v1/";
  std::vector<std::string> slices, claims;
  std::optional<LabApi::Answer> refused;  // instead of the claims
  LabApi api;                             // the first to go: it answers from the others
};

TEST_F(Claimed, DevicesAreBoardsAndSlicesAndClaimsSayWhoHoldsWhich) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node& node = a(watch.cluster());
  ASSERT_EQ(node.gpus.size(), 2u);
  const Gpu &whole = node.gpus[0], &cut = node.gpus[1];
  EXPECT_EQ(whole.origin.source, Source::kubernetes_claims);
  EXPECT_EQ(whole.uuid, "GPU-0");
  EXPECT_EQ(whole.product, ProductKey("H100-80GB-SXM5"));
  ASSERT_EQ(whole.slices.size(), 1u) << "an instance that could be made is none";
  EXPECT_EQ(whole.slices[0].holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  ASSERT_EQ(cut.slices.size(), 2u);
  EXPECT_EQ(cut.uuid, "GPU-1");
  for (const Slice& slice : cut.slices) EXPECT_EQ(slice.uuid.find("MIG-1"), 0u) << slice.uuid;
  EXPECT_EQ(cut.slices[0].placement, (Placement{0, 1}));
  EXPECT_EQ(cut.slices[0].holding, Holding::free);
  EXPECT_EQ(cut.slices[1].placement, (Placement{4, 1}));
  EXPECT_TRUE(cut.slices[1].exact);
  EXPECT_EQ(cut.slices[1].holders, (std::vector<Holder>{{WorkloadId("team/q"), 1}}));
  EXPECT_TRUE(node.pool.empty());

  const Cluster& cluster = watch.cluster();
  EXPECT_EQ(cluster.workloads.size(), 3u) << "a claim for a network card is none of ours";
  const Workload& q = *cluster.workloads.find(WorkloadId("team/q"));
  EXPECT_EQ(q.requests, (std::vector<Request>{{"mig.nvidia.com", 1}}));
  EXPECT_EQ(q.comment, "claim c-q: gpu-1-mig-1g10gb-19-4");
  EXPECT_EQ(q.unasked, "");
  const Workload& waits = *cluster.workloads.find(WorkloadId("team/w"));
  EXPECT_EQ(waits.state, WorkloadState::pending);
  EXPECT_EQ(waits.reason, "waits for claim c-w: no device is allocated to it");
  EXPECT_TRUE(waits.allocations.empty());
}

TEST_F(Claimed, ADeviceThatATaintKeepsWorkOffIsNotFree) {
  claims.resize(1);
  api.pods = {{"p", claiming_pod("p", "c-p")}};
  slices = {
      resource_slice(whole_device(0) + "," +
                     R"({"name":"gpu-2","attributes":{"type":{"string":"gpu"}},"taints":[{"key":"seen",)"
                     R"("effect":"None"},{"key":"gpu.nvidia.com/xid","value":"79","effect":"NoSchedule",)"
                     R"("timeAdded":"2026-11-21T11:00:00Z"}]})")};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node& node = a(watch.cluster());
  ASSERT_EQ(node.gpus.size(), 2u);
  EXPECT_EQ(node.gpus[1].slices[0].usable, false);
  EXPECT_EQ(node.counts.free, 0) << "the other one is held";
  EXPECT_EQ(node.counts.out, 1);
  const auto& remarks = watch.cluster().remarks.at(Source::kubernetes_operator);
  EXPECT_TRUE(std::any_of(remarks.begin(), remarks.end(), [](const Remark& one) {
    return one.text.find("gpu-2 (gpu.nvidia.com/xid=79:NoSchedule)") != std::string::npos && one.since;
  }));
}

// Kubernetes 1.35 makes a claim for "nvidia.com/gpu: 1": it was counted twice, and called "offers 0".
TEST_F(Claimed, ARequestThatAClaimAnswersIsHeldByThatClaim) {
  api.pods["p"] =
      R"({"metadata":{"namespace":"team","name":"p"},"spec":{"nodeName":"a","containers":[{"name":"c","resources":)"
      R"({"limits":{"nvidia.com/gpu":"1"}}}]},"status":{"phase":"Running","extendedResourceClaimStatus":)"
      R"({"requestMappings":[{"containerName":"c","resourceName":"nvidia.com/gpu","requestName":"r"}],)"
      R"("resourceClaimName":"c-p"}}})";
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node& node = a(watch.cluster());
  EXPECT_EQ(node.gpus[0].slices[0].holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  EXPECT_TRUE(node.gpus[0].slices[0].exact);
  const Workload& work = *watch.cluster().workloads.find(WorkloadId("team/p"));
  ASSERT_EQ(work.allocations.size(), 1u);
  EXPECT_EQ(work.allocations[0].count, 1);
  EXPECT_EQ(work.requests, (std::vector<Request>{{"nvidia.com/gpu", 1}}));
  for (const auto& [source, remarks] : watch.cluster().remarks)
    for (const Remark& one : remarks)
      EXPECT_EQ(one.text.find("the node offers 0"), std::string::npos) << one.text;
}

TEST_F(Claimed, ServersBefore134AreReadToo) {
  base = "/apis/resource.k8s.io/v1beta1/";
  // v1beta1: a device's fields in `basic`, a request's in itself.
  slices = {R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com","nodeName":"a","pool":{"name":"a",)"
            R"("generation":1},"devices":[{"name":"gpu-0","basic":{"attributes":{"type":{"string":"gpu"},)"
            R"("uuid":{"string":"GPU-0"}},"capacity":{"memory":{"value":"80Gi"}}}}]}})"};
  claims = {
      R"({"metadata":{"namespace":"team","name":"c-p"},"spec":{"devices":{"requests":[{"name":"r",)"
      R"("deviceClassName":"gpu.nvidia.com","count":1}]}},"status":{"allocation":{"devices":{"results":[)"
      R"({"driver":"gpu.nvidia.com","pool":"a","device":"gpu-0"}]}},"reservedFor":[{"resource":"pods",)"
      R"("name":"p"}]}})"};
  api.pods.erase("w");
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_EQ(a(watch.cluster()).gpus.size(), 1u);
  EXPECT_EQ(a(watch.cluster()).gpus[0].slices[0].holders.size(), 1u);
  EXPECT_EQ(a(watch.cluster()).gpus[0].memory, Mib{80 * 1024});
  EXPECT_EQ(watch.cluster().workloads.find(WorkloadId("team/p"))->requests,
            (std::vector<Request>{{"gpu.nvidia.com", 1}}));
}

TEST_F(Claimed, OlderDriversCallInstancesByStartAndSize) {
  auto older = [](const std::string& name, const std::string& uuid) {
    return dra_device(name, R"("type":{"string":"mig"},"profile":{"string":"1g.10gb"},)"
                            R"("parentUUID":{"string":"GPU-1"},"uuid":{"string":")" +
                                uuid + R"("})");
  };
  slices = {resource_slice(older("gpu-1-mig-19-4-1", "MIG-1") + "," + older("gpu-1-mig-19-2-1", "MIG-2") +
                           "," + older("gpu-1-mig-19", "MIG-3"))};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  std::vector<std::optional<Placement>> places;
  for (const Slice& slice : a(watch.cluster()).gpus.at(0).slices) places.push_back(slice.placement);
  EXPECT_EQ(places.size(), 3u);
  for (int start : {2, 4})
    EXPECT_EQ(std::count(places.begin(), places.end(), Placement{start, 1}), 1) << start;
  EXPECT_EQ(std::count(places.begin(), places.end(), std::nullopt), 1) << "a name that tells no place";
}

TEST_F(Claimed, WhatChangesIsFollowedDeviceByDevice) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  ASSERT_TRUE(watch.until([&](const Cluster&) {
    return api.script().streams(kClaimsPath) == 1 && api.script().streams(kSlicesPath) == 1;
  }));
  // An instance that could be made is made for a claim: its GPU is cut from then on.
  api.script().feed(kClaimsPath, event_json("MODIFIED", resource_claim("c-p", "", "")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return a(c).gpus[0].slices[0].holding == Holding::free; }));
  api.script().feed(kClaimsPath, event_json("MODIFIED", resource_claim("c-w", "gpu-0-mig-1g10gb-19-2", "")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return a(c).gpus[0].strategy == Strategy::mig; }));
  const Slice& made = a(watch.cluster()).gpus[0].slices[0];
  EXPECT_EQ(made.placement, (Placement{2, 1}));
  EXPECT_EQ(made.holding, Holding::held) << "not used yet, but it is given away";
  EXPECT_TRUE(made.holders.empty());
  // A claim that is gone: its pod asks for no GPU any more.
  api.script().feed(kClaimsPath, event_json("DELETED", resource_claim("c-w", "gpu-0-mig-1g10gb-19-2", "")));
  ASSERT_TRUE(watch.until([](const Cluster& c) {
    return !c.workloads.find(WorkloadId("team/w")) && a(c).gpus[0].strategy == Strategy::whole;
  }));
  // A slice of a newer generation puts the older one out of date.
  api.script().feed(kSlicesPath, event_json("ADDED", resource_slice(whole_device(0), 2, "s2")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return a(c).gpus.size() == 1; }));
  api.script().feed(kSlicesPath, event_json("DELETED", resource_slice("", 2, "s2")));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return a(c).gpus.size() == 2; }));
  api.script().feed(kSlicesPath, event_json("DELETED", resource_slice("", 1)));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return !c.nodes.find(NodeName("a")); }))
      << "nothing speaks of GPUs any more";
}

TEST_F(Claimed, ClaimsThatMayNotBeReadAreSaidAndTheirPodsAreFlagged) {
  refused = LabApi::Answer{403,
                           R"({"kind":"Status","message":"resourceclaims.resource.k8s.io is forbidden: User )"
                           R"(\"eve\" cannot list resource \"resourceclaims\"","code":403})",
                           {}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const auto& remarks = watch.cluster().remarks.find(Source::kubernetes_claims)->second;
  ASSERT_EQ(remarks.size(), 1u);
  EXPECT_NE(remarks[0].text.find("which pods hold devices of DRA drivers is not reported"), std::string::npos)
      << remarks[0].text;
  EXPECT_NE(remarks[0].hint.find("doctor --rbac"), std::string::npos);
  EXPECT_EQ(a(watch.cluster()).gpus.size(), 2u) << "the devices are shown all the same";
  const Workload* p = watch.cluster().workloads.find(WorkloadId("team/p"));
  ASSERT_TRUE(p);
  EXPECT_EQ(p->unasked, "by claim c-p, whose devices are not reported");
}

TEST_F(Claimed, AnInstanceIsMeasuredByThePodThatTheExporterNames) {
  api.pods["x"] = R"({"metadata":{"namespace":"gpu-operator","name":"dcgm-x","labels":)"
                  R"({"app":"nvidia-dcgm-exporter"}},"spec":{"nodeName":"a","containers":[{"name":"e"}]},)"
                  R"("status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})";
  auto line = [](const std::string& more, const std::string& value) {
    return "DCGM_FI_PROF_GR_ENGINE_ACTIVE{" + more + "} " + value + "\n";
  };
  std::string cut = R"(gpu="1",UUID="GPU-1",GPU_I_PROFILE="1g.10gb",GPU_I_ID=)";
  std::string metrics = line(R"(gpu="0",UUID="GPU-0")", "0.75") +
                        line(cut + R"("7",pod="",namespace="")", "0") +
                        line(cut + R"("9",pod="q",namespace="team",container="c")", "0.5");
  auto plain = api.instead;
  api.instead = [=](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
    if (path.find("/proxy/metrics") != std::string::npos) return LabApi::Answer{200, metrics, {}};
    return plain(path, query);
  };
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until([](const Cluster& c) { return c.loaded && a(c).gpus[0].telemetry.use; }));
  const Node& node = a(watch.cluster());
  EXPECT_EQ(node.gpus[0].slices[0].use, Percent{75});
  EXPECT_EQ(node.gpus[1].slices[1].use, Percent{50}) << "the one that q holds";
  EXPECT_EQ(node.gpus[1].slices[0].use, std::nullopt) << "it is not reported that it is this one";
  EXPECT_EQ(node.gpus[1].origin.source, Source::kubernetes_claims);
}

TEST_F(Claimed, ADevicePluginBesideTheDriverIsADanger) {
  Labels labels = kOne;
  api.nodes = {{"a", node_json("a", labels, {{"nvidia.com/gpu", "2"}})}};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  auto says = [](const Cluster& c) {
    auto found = c.remarks.find(Source::kubernetes_operator);
    return found != c.remarks.end() &&
           std::any_of(found->second.begin(), found->second.end(), [](const Remark& one) {
             return one.text.find("its GPUs are handed out twice") != std::string::npos;
           });
  };
  EXPECT_TRUE(watch.until(says));
}

}  // namespace
}  // namespace tessera::kubernetes
