// Devices of AMD's DRA driver: shown as GPUs and partitions with their holders, and planned by nothing.
#include "backends/kubernetes/objects/dra_amd.hpp"

#include "engine/plan/capabilities.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/planner.hpp"
#include "engine/sharing/amd.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
namespace {

constexpr const char* kBase = "/apis/resource.k8s.io/v1/";

std::string device(const std::string& name, const std::string& type, const std::string& bus,
                   const std::string& profile, const std::string& more = "") {
  return R"({"name":")" + name + R"(","attributes":{"type":{"string":")" + type +
         R"("},"productName":{"string":"AMD_Instinct_MI300X_OAM"},"partitionProfile":{"string":")" + profile +
         R"("},"resource.kubernetes.io/pciBusID":{"string":")" + bus +
         R"("}},"capacity":{"memory":{"value":"24Gi"}})" + more + "}";
}
std::string a_slice(const std::string& devices, const std::string& driver = "gpu.amd.com") {
  return R"({"metadata":{"name":"s-)" + driver + R"(","resourceVersion":"7"},"spec":{"driver":")" + driver +
         R"(","nodeName":"a","pool":{"name":"a","generation":1,"resourceSliceCount":1},"devices":[)" +
         devices + "]}}";
}
std::string a_claim(const std::string& device) {
  return R"({"metadata":{"namespace":"team","name":"c","resourceVersion":"8"},"spec":{"devices":{"requests":[)"
         R"({"name":"r","exactly":{"deviceClassName":"gpu.amd.com","allocationMode":"ExactCount","count":1}}]}},)"
         R"("status":{"allocation":{"devices":{"results":[{"request":"r","driver":"gpu.amd.com","pool":"a",)"
         R"("device":")" +
         device + R"("}]}},"reservedFor":[{"resource":"pods","name":"p"}]}})";
}

// GPU 19 in two partitions (of those that it has), GPU 3b whole.
std::string usual() {
  return device("gpu-1-129", "amdgpu-partition", "0000:19:00.0", "cpx_nps4") + "," +
         device("gpu-2-130", "amdgpu-partition", "0000:19:00.0", "cpx_nps4") + "," +
         device("gpu-9-137", "amdgpu", "0000:3b:00.0", "spx_nps1");
}

class AmdClaimed : public testing::Test {
 protected:
  AmdClaimed() {
    api.nodes = {{"a", node_json("a", {}, {})}};
    api.pods = {
        {"p",
         R"({"metadata":{"namespace":"team","name":"p"},"spec":{"nodeName":"a","containers":[{"resources":)"
         R"({"claims":[{"name":"g"}]}}],"resourceClaims":[{"name":"g","resourceClaimName":"c"}]},)"
         R"("status":{"phase":"Running"}})"}};
    api.instead = [this](const std::string& path, const std::string& query) -> std::optional<LabApi::Answer> {
      if (query.find("watch=1") != std::string::npos || !path.starts_with(kBase)) return std::nullopt;
      if (path.ends_with("resourceslices")) return LabApi::Answer{200, list_json(slices, "100"), {}};
      if (path.ends_with("resourceclaims")) return LabApi::Answer{200, list_json(claims, "100"), {}};
      return std::nullopt;
    };
  }
  static const Node& a(const Cluster& cluster) { return *cluster.nodes.find(NodeName("a")); }

  std::vector<std::string> slices{a_slice(usual())}, claims{a_claim("gpu-2-130")};
  LabApi api;
};

TEST_F(AmdClaimed, DevicesOfOneAddressAreOneGpuWithItsModeAndHolders) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node& node = a(watch.cluster());
  ASSERT_EQ(node.gpus.size(), 2u);
  const Gpu &cut = node.gpus[0], &whole = node.gpus[1];
  EXPECT_EQ(cut.model, "AMD Instinct MI300X OAM");
  EXPECT_EQ(cut.partition_mode, "CPX/NPS4");
  EXPECT_EQ(cut.strategy, Strategy::unknown);
  EXPECT_EQ(cut.memory, Mib{48 * 1024});
  ASSERT_EQ(cut.slices.size(), 2u);
  EXPECT_EQ(cut.slices[0].holding, Holding::free);
  EXPECT_EQ(cut.slices[1].holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  EXPECT_EQ(cut.slices[1].profile, ProfileName("CPX/NPS4"));
  EXPECT_EQ(whole.partition_mode, "SPX/NPS1");
  EXPECT_EQ(whole.strategy, Strategy::whole);
  EXPECT_EQ(whole.slices.at(0).holding, Holding::free);
  const Workload& pod = *watch.cluster().workloads.find(WorkloadId("team/p"));
  EXPECT_EQ(pod.requests, (std::vector<Request>{{"gpu.amd.com", 1}}));
  EXPECT_EQ(pod.comment, "claim c: gpu-2-130");
}

TEST_F(AmdClaimed, NoPlanTouchesThemAndNoWaitingWorkCountsOnThem) {
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Cluster& cluster = watch.cluster();
  EXPECT_TRUE(sharing::amd::is_amd(a(cluster)));
  plan::Intent intent;
  intent.cluster = cluster.name;
  intent.nodes = {NodeName("a")};
  plan::Wish wish;
  intent.boards = {{GpuIndex{0}, wish}};
  intent.words = "whole GPU";
  const auto plan = plan::make_plan(cluster, test::catalogue(), intent, plan::gpu_operator_capabilities(), {},
                                    TimePoint(std::chrono::seconds(1'800'000'000)));
  ASSERT_FALSE(plan.ok());
  EXPECT_NE(to_line(plan.error()).find("AMD"), std::string::npos) << to_line(plan.error());
  plan::each_named_slice(cluster, a(cluster), test::catalogue(),
                         [](const Slice&, const std::string& name) { ADD_FAILURE() << name; });
}

// With AutoPartition each mode that a GPU could take is a device: nothing tells which one stands there.
TEST_F(AmdClaimed, AGpuThatTakesItsModeWithAClaimIsOneThingThatIsNotGuessed) {
  const std::string takes =
      R"(,"consumesCounters":[{"counterSet":"gpu-0-mutex","counters":{"partition-mode":{"value":"1"}}}])";
  slices = {a_slice(device("gpu-0-spx-nps1", "amdgpu", "0000:19:00.0", "spx_nps1", takes) + "," +
                    device("gpu-0-cpx-nps4", "amdgpu-partition", "0000:19:00.0", "cpx_nps4", takes))};
  claims = {a_claim("gpu-0-cpx-nps4")};
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node& node = a(watch.cluster());
  ASSERT_EQ(node.gpus.size(), 1u) << "two devices, one GPU";
  EXPECT_EQ(node.gpus[0].partition_mode, "");
  ASSERT_EQ(node.gpus[0].slices.size(), 1u);
  EXPECT_EQ(node.gpus[0].slices[0].profile.text, std::string(sharing::amd::kUntold));
  EXPECT_EQ(node.gpus[0].slices[0].holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
}

// Both call their pools as the node.
TEST_F(AmdClaimed, BesideNvidiasDriverEachHasItsOwnDevices) {
  slices.push_back(
      a_slice(R"({"name":"gpu-0","attributes":{"type":{"string":"gpu"},"uuid":{"string":"GPU-0"},)"
              R"("productName":{"string":"NVIDIA H100 80GB HBM3"}}})",
              "gpu.nvidia.com"));
  KubeWatch watch(at(api.script().socket()));
  ASSERT_TRUE(watch.until(loaded));
  const Node& node = a(watch.cluster());
  ASSERT_EQ(node.gpus.size(), 3u);
  EXPECT_EQ(node.gpus[0].uuid, "GPU-0");
  EXPECT_EQ(node.gpus[1].partition_mode, "CPX/NPS4");
  EXPECT_EQ(node.gpus[1].slices[1].holders.size(), 1u);
  EXPECT_TRUE(node.gpus[0].slices.at(0).holders.empty());
}

}  // namespace
}  // namespace tessera::kubernetes
