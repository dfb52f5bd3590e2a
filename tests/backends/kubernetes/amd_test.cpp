// Nodes with GPUs of AMD: from the API's objects to GPUs, partitions and who holds them; and that no plan is
// made there.
#include "engine/sharing/amd.hpp"

#include "engine/insight/worth.hpp"
#include "engine/plan/planner.hpp"
#include "tests/backends/kubernetes/kube_lab.hpp"

namespace tessera::kubernetes {
namespace {

const Labels kMi300x{{"amd.com/gpu.product-name", "AMD_Instinct_MI300X_OAM"},
                     {"amd.com/gpu.vram", "192G"},
                     {"amd.com/gpu.driver-version", "6.14.14"},
                     {"amd.com/gpu.compute-partitioning-supported", "true"},
                     {"amd.com/gpu.compute-memory-partition", "spx_nps1"}};

Labels with(Labels labels, const std::string& key, const std::string& value) {
  labels[key] = value;
  return labels;
}
Labels cut(const std::string& mode, const std::string& vram) {
  return with(with(kMi300x, "amd.com/gpu.compute-memory-partition", mode), "amd.com/gpu.vram", vram);
}

std::string amd_pod(const std::string& name, const std::string& node, const std::string& resource,
                    int count) {
  return R"({"metadata":{"namespace":"team","name":")" + name + R"("},"spec":{)" +
         (node.empty() ? "" : R"("nodeName":")" + node + R"(",)") +
         R"("containers":[{"name":"c","resources":{"limits":{")" + resource + R"(":")" +
         std::to_string(count) + R"("}}}]},"status":{"phase":")" + (node.empty() ? "Pending" : "Running") +
         R"("}})";
}

class AmdNode : public testing::Test {
 protected:
  const Cluster& read(const Labels& labels, const Labels& offered,
                      std::map<std::string, std::string> pods = {}) {
    api.nodes = {{"a", node_json("a", labels, offered)}};
    api.pods = std::move(pods);
    watch = std::make_unique<KubeWatch>(at(api.script().socket()));
    EXPECT_TRUE(watch->until(loaded));
    return watch->cluster();
  }
  const Node& node() const { return *watch->cluster().nodes.find(NodeName("a")); }
  std::size_t slices() const {
    std::size_t all = node().pool.size();
    for (const Gpu& gpu : node().gpus) all += gpu.slices.size();
    return all;
  }
  std::string remark(const std::string& part) const {
    for (const auto& [source, remarks] : watch->cluster().remarks)
      for (const Remark& one : remarks)
        if (one.text.find(part) != std::string::npos) return one.text;
    return "";
  }
  LabApi api;
  std::unique_ptr<KubeWatch> watch;
};

TEST_F(AmdNode, GpusThatAreNotPartitionedAreWholeAndSayTheirMode) {
  read(kMi300x, {{"amd.com/gpu", "8"}}, {{"p", amd_pod("p", "a", "amd.com/gpu", 8)}});
  ASSERT_EQ(node().gpus.size(), 8u);
  for (const Gpu& gpu : node().gpus) {
    EXPECT_EQ(gpu.model, "AMD Instinct MI300X OAM");
    EXPECT_EQ(gpu.partition_mode, "SPX/NPS1");
    EXPECT_EQ(gpu.strategy, Strategy::whole);
    EXPECT_EQ(gpu.memory, Mib{192 * 1024});
    EXPECT_EQ(gpu.origin.source, Source::kubernetes_nodes);
    ASSERT_EQ(gpu.slices.size(), 1u);
    EXPECT_EQ(gpu.slices[0].holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  }
  EXPECT_EQ(node().driver, "6.14.14");
  EXPECT_EQ(node().allocatable, (std::map<std::string, std::int64_t>{{"amd.com/gpu", 8}}));
  EXPECT_EQ(node().counts.held, 8);
}

// Each partition is a device of the plugin: 64 of them are 8 GPUs.
TEST_F(AmdNode, SixtyFourPartitionsAreEightGpus) {
  const Cluster& cluster =
      read(cut("cpx_nps4", "24G"), {{"amd.com/gpu", "64"}}, {{"p", amd_pod("p", "a", "amd.com/gpu", 16)}});
  ASSERT_EQ(node().gpus.size(), 8u);
  EXPECT_EQ(slices(), 64u);
  const Gpu& gpu = node().gpus[3];
  EXPECT_EQ(gpu.partition_mode, "CPX/NPS4");
  EXPECT_EQ(gpu.strategy, Strategy::unknown) << "none of NVIDIA's ways";
  EXPECT_EQ(gpu.memory, Mib{192 * 1024}) << "eight times what one partition has";
  EXPECT_EQ(gpu.origin.source, Source::inferred);
  EXPECT_EQ(gpu.slices[0].profile, ProfileName("CPX/NPS4"));
  EXPECT_EQ(node().counts.held, 16);
  EXPECT_EQ(node().counts.free, 48);
  EXPECT_EQ(insight::gpus_worth(cluster, *cluster.workloads.find(WorkloadId("team/p")), test::catalogue()),
            2.0);
}

TEST_F(AmdNode, WithMixedNamesEachModeIsAResourceAndUnlikeGpusStandBesideEachOther) {
  const Labels none = with(kMi300x, "amd.com/gpu.compute-memory-partition", "");
  read(none, {{"amd.com/cpx_nps1", "32"}, {"amd.com/spx_nps1", "4"}},
       {{"p", amd_pod("p", "a", "amd.com/cpx_nps1", 32)}, {"q", amd_pod("q", "a", "amd.com/spx_nps1", 1)}});
  ASSERT_EQ(node().gpus.size(), 8u);
  EXPECT_EQ(slices(), 36u);
  EXPECT_EQ(node().gpus[0].partition_mode, "CPX/NPS1");
  EXPECT_EQ(node().gpus[7].partition_mode, "SPX/NPS1");
  EXPECT_EQ(node().gpus[0].slices[0].holders, (std::vector<Holder>{{WorkloadId("team/p"), 1}}));
  EXPECT_EQ(node().gpus[0].slices[7].holding, Holding::held);
  EXPECT_EQ(node().counts.held, 33);
  EXPECT_EQ(node().counts.free, 3);
}

// What a GPU is cannot be told: then nothing is made of it that would be counted as GPUs.
TEST_F(AmdNode, DevicesOfWhichItIsNotKnownWhatTheyAreStayInThePool) {
  struct Case {
    const char* what;
    Labels labels, offered;
    std::size_t gpus, pool;
  };
  for (const Case& one : std::vector<Case>{
           {"a mode that this model is not known to have",
            with(cut("cpx_nps1", "24G"), "amd.com/gpu.product-name", "AMD_Instinct_MI308X"),
            {{"amd.com/gpu", "32"}},
            0,
            32},
           {"no whole number of GPUs", cut("cpx_nps1", "24G"), {{"amd.com/gpu", "60"}}, 0, 60},
           {"an old label: 64 GPUs in one machine", kMi300x, {{"amd.com/gpu", "64"}}, 0, 64},
           {"no label: few are GPUs", {}, {{"amd.com/gpu", "8"}}, 8, 0},
           {"no label: many are not", {}, {{"amd.com/gpu", "24"}}, 0, 24},
           {"a mode that there is not", cut("\\u001b[31mcpx_nps9", "24G"), {{"amd.com/gpu", "8"}}, 8, 0}}) {
    read(one.labels, one.offered);
    SCOPED_TRACE(one.what);
    EXPECT_EQ(node().gpus.size(), one.gpus) << one.what;
    EXPECT_EQ(node().pool.size(), one.pool) << one.what;
    for (const Slice& slice : node().pool) {
      EXPECT_TRUE(sharing::amd::is_partition(slice)) << one.what;
      EXPECT_EQ(insight::part_of(nullptr, slice, 1, test::catalogue()), std::nullopt) << one.what;
    }
    for (const Gpu& gpu : node().gpus) EXPECT_EQ(gpu.partition_mode, "") << one.what;
    for (const std::string& feature : node().features) EXPECT_EQ(feature.find('\x1b'), std::string::npos);
  }
  EXPECT_NE(remark("the partition mode of its AMD GPUs is not reported"), "");
}

TEST_F(AmdNode, HostileCountsAreBounded) {
  read(kMi300x, {{"amd.com/gpu", "9223372036854775807"}, {"amd.com/cpx_nps4", "1000000000"}});
  EXPECT_LE(slices(), 4096u);
  read(with(kMi300x, "amd.com/gpu.vram", "99999999999999999999G"), {{"amd.com/gpu", "-5"}});
  EXPECT_EQ(slices(), 0u);
  EXPECT_EQ(node().model, "AMD Instinct MI300X OAM") << "labelled, and nothing is handed out";
}

TEST_F(AmdNode, OldLabelsAndDeviceIdsNameTheModelToo) {
  read({{"beta.amd.com/gpu.product-name", "AMD_Instinct_MI210"}, {"beta.amd.com/gpu.vram", "64G"}},
       {{"amd.com/gpu", "4"}});
  EXPECT_EQ(node().gpus.at(0).model, "AMD Instinct MI210");
  EXPECT_EQ(node().gpus.at(0).memory, Mib{64 * 1024});
  EXPECT_EQ(node().gpus.at(0).origin.source, Source::kubernetes_nodes) << "it has no modes: it is told";
  read({{"amd.com/gpu.device-id", "74a1"}}, {{"amd.com/gpu", "8"}});
  EXPECT_EQ(node().gpus.at(0).model, "AMD Instinct MI300X");
}

TEST_F(AmdNode, WhatTheConfigManagerSaysIsShownAndItsLabelIsNoOrderOfOurs) {
  read(with(with(kMi300x, "dcm.amd.com/gpu-config-profile", "cpx-all"),
            "dcm.amd.com/gpu-config-profile-state", "failure"),
       {{"amd.com/gpu", "8"}});
  EXPECT_EQ(remark("AMD's config manager"), "AMD's config manager could not make its profile cpx-all");
  EXPECT_FALSE(node().order);
}

// A device that the plugin finds broken stays in capacity.
TEST_F(AmdNode, ABrokenPartitionIsOutOfUse) {
  std::string json = node_json("a", cut("cpx_nps1", "24G"), {{"amd.com/gpu", "8"}});
  const std::size_t at = json.find(R"("allocatable":{"amd.com/gpu":"8"})");
  ASSERT_NE(at, std::string::npos);
  json.replace(at, std::string(R"("allocatable":{"amd.com/gpu":"8"})").size(),
               R"("allocatable":{"amd.com/gpu":"7"})");
  api.nodes = {{"a", json}};
  watch = std::make_unique<KubeWatch>(kubernetes::at(api.script().socket()));
  ASSERT_TRUE(watch->until(loaded));
  EXPECT_EQ(node().counts.out, 1);
  EXPECT_EQ(node().counts.free, 7);
}

TEST_F(AmdNode, APodThatWaitsForAmdIsNotTakenForOneThatWaitsForNvidia) {
  api.nodes = {{"a", node_json("a", kMi300x, {{"amd.com/gpu", "8"}})}, {"n", gpu_node("n")}};
  api.pods = {{"w", amd_pod("w", "", "amd.com/gpu", 1)}, {"p", gpu_pod("p", "n")}};
  watch = std::make_unique<KubeWatch>(kubernetes::at(api.script().socket()));
  ASSERT_TRUE(watch->until(loaded));
  const Workload& waits = *watch->cluster().workloads.find(WorkloadId("team/w"));
  EXPECT_EQ(waits.requests, (std::vector<Request>{{"amd.com/gpu", 1}}));
  const Node& nvidia = *watch->cluster().nodes.find(NodeName("n"));
  EXPECT_EQ(nvidia.counts.held, 1);
  EXPECT_EQ(node().counts.held, 0);
}

// A machine with GPUs of both makers: NVIDIA's are shown, and AMD's are none of theirs.
TEST_F(AmdNode, BesideNvidiasGpusAmdsAreNotTakenForThem) {
  Labels both = kOne;
  both["amd.com/gpu.product-name"] = "AMD_Instinct_MI210";
  read(both, {{"nvidia.com/gpu", "2"}, {"amd.com/gpu", "4"}}, {{"p", amd_pod("p", "a", "amd.com/gpu", 2)}});
  ASSERT_EQ(node().gpus.size(), 2u);
  EXPECT_EQ(node().model, "NVIDIA-H100-80GB-HBM3");
  EXPECT_EQ(node().counts.held, 0);
  EXPECT_EQ(node().counts.free, 2);
  EXPECT_EQ(node().allocatable->at("amd.com/gpu"), 4);
  EXPECT_FALSE(sharing::amd::is_amd(node()));
}

// Whatever is wished for, before anything is looked at.
TEST_F(AmdNode, EveryPlanIsRefusedWithTheReasonAndTheWayOut) {
  for (const auto& [labels, offered] :
       {std::pair<Labels, Labels>{kMi300x, {{"amd.com/gpu", "8"}}},
        std::pair<Labels, Labels>{cut("cpx_nps4", "24G"), {{"amd.com/gpu", "64"}}},
        std::pair<Labels, Labels>{kMi300x, {{"amd.com/gpu", "64"}}}}) {
    const Cluster& cluster = read(labels, offered);
    for (Strategy way : {Strategy::whole, Strategy::mig, Strategy::mps, Strategy::time_slicing,
                         Strategy::vgpu, Strategy::shard}) {
      plan::Intent intent;
      intent.nodes = {NodeName("a")};
      plan::Wish wish;
      wish.strategy = way;
      wish.replicas = 4;
      intent.boards = {{std::nullopt, wish}};
      const auto plan = plan::make_plan(cluster, test::catalogue(), intent,
                                        plan::presumed_capabilities(cluster), {}, TimePoint{});
      ASSERT_FALSE(plan.ok());
      EXPECT_EQ(plan.error().reason, "it has GPUs of AMD: AMD partition modes are shown, not planned");
      EXPECT_NE(plan.error().hint.find("dcm.amd.com/gpu-config-profile"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace tessera::kubernetes
