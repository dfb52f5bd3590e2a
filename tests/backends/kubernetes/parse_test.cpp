// Recorded answers of a real API server and hand-made ones, read field by field.
#include "backends/kubernetes/objects/parse.hpp"

#include <gtest/gtest.h>

#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "backends/kubernetes/objects/remarks.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/time.hpp"
#include "tests/backends/kubernetes/one_pod.hpp"
#include "tests/backends/kubernetes/texts.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono;
const Origin kOrigin{Source::kubernetes_nodes, TimePoint(1s)};

Node node_from(const std::string& json, bool busy = false) {
  Parser parser;
  auto object = parser.object<NodeObject>(json);
  EXPECT_TRUE(object) << to_line(object.error());
  return node_of(*object, sharing_of(*object, &test::catalogue()), busy, kOrigin);
}
NodeObject node_object(const std::string& json) { return *Parser().object<NodeObject>(json); }

TEST(KubernetesParse, ARecordedPageOfNodesIsReadFieldByField) {
  Parser parser;
  auto page = parser.list<NodeObject>(recording("nodes-page1.json"));
  ASSERT_TRUE(page) << to_line(page.error());
  EXPECT_EQ(page->version, "12206");
  EXPECT_EQ(page->remaining, 1998);
  EXPECT_TRUE(page->next.starts_with("eyJ2Ijoi")) << page->next;
  EXPECT_EQ(page->skipped, 0u);
  ASSERT_EQ(page->items.size(), 2u);

  const NodeObject& object = page->items.front();
  EXPECT_EQ(object.meta.name, "gpu-00000");
  EXPECT_EQ(object.meta.version, "193");
  EXPECT_EQ(object.meta.created, parse_utc("2026-11-21T02:43:30Z"));
  EXPECT_EQ(object.label("nvidia.com/mig.config"), "all-1g.10gb");
  EXPECT_FALSE(object.meta.labels.contains("feature.node.kubernetes.io/cpu-cpuid.F0"));
  EXPECT_EQ(object.has("nvidia.com/gpu"), 56);
  EXPECT_EQ(object.cpus, 192);
  EXPECT_TRUE(has_gpus(object));

  Node node = node_of(object, sharing_of(object, &test::catalogue()), false, kOrigin);
  EXPECT_EQ(node.state, (std::vector<std::string>{"READY"}));
  EXPECT_EQ(node.health, Health::ok);
  EXPECT_EQ(node.driver, "550.90.07");
  EXPECT_EQ(node.agent, "kubelet v1.20.2");
  EXPECT_EQ(node.memory, Mib{2113411888 / 1024});
  ASSERT_TRUE(node.order);
  EXPECT_EQ(node.order->config, "all-1g.10gb");
  EXPECT_EQ(node.order->state, "success");
  // 56 instances, 7 to a GPU by the layout that was made: 8 GPUs, without places.
  ASSERT_EQ(node.gpus.size(), 8u);
  EXPECT_TRUE(node.pool.empty());
  const Gpu& gpu = node.gpus[7];
  EXPECT_EQ(gpu.index.value, 7);
  EXPECT_EQ(gpu.model, "NVIDIA-H100-80GB-HBM3");
  EXPECT_EQ(gpu.product, ProductKey("H100-80GB-SXM5"));
  EXPECT_EQ(gpu.strategy, Strategy::mig);
  EXPECT_EQ(gpu.origin.source, Source::inferred);
  ASSERT_EQ(gpu.slices.size(), 7u);
  EXPECT_EQ(gpu.slices[0].profile, ProfileName("1g.10gb"));
  EXPECT_FALSE(gpu.slices[0].placement);
  EXPECT_EQ(gpu.slices[0].capacity, 1);
}

TEST(KubernetesParse, RecordedPodsAreReadFieldByField) {
  Parser parser;
  auto page = parser.list<PodObject>(recording("pods-on-node.json"));
  ASSERT_TRUE(page) << to_line(page.error());
  ASSERT_EQ(page->items.size(), 2u);
  const PodObject& pod = page->items.front();
  EXPECT_EQ(pod.id(), "default/train-000003");
  EXPECT_EQ(pod.node, "gpu-00003");
  EXPECT_EQ(pod.requests, (Counts{{"nvidia.com/gpu", 1}}));
  EXPECT_TRUE(is_gpu_work(pod, true));
  Workload work = workload_of(pod, nullptr, {Source::kubernetes_pods, TimePoint(1s)});
  EXPECT_EQ(work.state, WorkloadState::running);
  EXPECT_EQ(work.group, "default");
  EXPECT_EQ(work.restartable, false);  // no controller makes it again
  ASSERT_EQ(work.allocations.size(), 1u);
  EXPECT_EQ(work.allocations[0].node, NodeName("gpu-00003"));
  EXPECT_EQ(work.allocations[0].count, 1);
}

TEST(KubernetesParse, ARecordedWatchTellsChangesAndBookmarks) {
  Parser parser;
  std::vector<Change> changes;
  std::string last;
  for (const std::string& text : lines_of(body_of(recording("watch-stream.http")))) {
    auto line = parser.line<NodeObject>(text);
    ASSERT_TRUE(line) << to_line(line.error());
    changes.push_back(line->change);
    EXPECT_EQ(line->object.has_value(), line->change != Change::bookmark);
    last = line->version;
  }
  EXPECT_EQ(changes, (std::vector{Change::modified, Change::modified, Change::deleted, Change::bookmark,
                                  Change::bookmark}));
  EXPECT_EQ(last, "12209");
}

TEST(KubernetesParse, AVersionThatIsGoneIsAnErrorInsideTheStream) {
  Parser parser;
  auto line = parser.line<NodeObject>(lines_of(body_of(recording("watch-410-gone.http"))).at(0));
  ASSERT_TRUE(line);
  EXPECT_EQ(line->change, Change::error);
  EXPECT_EQ(line->status.code, 410);
  EXPECT_EQ(line->status.reason, "Expired");
}

TEST(KubernetesParse, TheApiSaysNoInItsOwnWords) {
  Parser parser;
  auto forbidden = parser.status(body_of(recording("err-403-list.http")));
  ASSERT_TRUE(forbidden);
  EXPECT_EQ(forbidden->code, 403);
  EXPECT_EQ(forbidden->message,
            "nodes is forbidden: User \"viewer\" cannot list resource \"nodes\" in API group \"\" at the "
            "cluster scope");
  EXPECT_FALSE(parser.status(body_of(recording("err-404-no-dra.http"))));  // plain text
  EXPECT_EQ(parser.version(recording("version.json")), "v0.0.0-master+faecb196815e2");
}

TEST(KubernetesParse, TimesAndQuantitiesInEveryForm) {
  EXPECT_EQ(parse_utc("1970-01-02T00:00:01Z"), TimePoint(86401s));
  EXPECT_EQ(parse_utc("1970-01-01T00:00:00.250000Z"), TimePoint(250ms));
  for (const char* text : {"", "2026-13-01T00:00:00Z", "2026-11-21", "2026-11-21T02:43:30", "yesterday"})
    EXPECT_FALSE(parse_utc(text)) << text;
  EXPECT_EQ(parse_quantity("56"), 56);
  EXPECT_EQ(parse_quantity("16Gi"), std::int64_t{16} << 30);
  EXPECT_EQ(parse_quantity("500m"), 0);
  EXPECT_EQ(parse_quantity("2500m"), 2);
  EXPECT_EQ(parse_quantity("1e3"), 1000);
  EXPECT_EQ(parse_quantity("1.5k"), 1500);
  for (const char* text : {"", "Gi", "1x", "1e400", "nan"}) EXPECT_FALSE(parse_quantity(text)) << text;
}

TEST(KubernetesParse, OneBrokenObjectLosesNoOther) {
  Parser parser;
  auto page = parser.list<NodeObject>(
      R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"labels":7}},7,{"metadata":{"name":"n1"},)"
      R"("status":{"capacity":{"nvidia.com/gpu":"x","cpu":[]},"conditions":{}}}]})");
  ASSERT_TRUE(page) << to_line(page.error());
  EXPECT_EQ(page->skipped, 2u);
  ASSERT_EQ(page->items.size(), 1u);
  EXPECT_EQ(page->items[0].meta.name, "n1");
  EXPECT_TRUE(page->items[0].capacity.empty());
}

// It was left out without a word: the pod held nothing, the node had none.
TEST(KubernetesParse, ACountOfGpusThatCannotBeReadIsNotLeftOut) {
  Parser parser;
  const auto pod = [](const std::string& spec) {
    return R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"namespace":"x","name":"p"},"spec":)" +
           spec + "}]}";
  };
  for (const char* wrong : {R"("many")", "[1]", R"("-1")", R"("99999999999999999999")", "null"}) {
    const std::string count = std::string(R"({"resources":{"limits":{"nvidia.com/gpu":)") + wrong + "}}}";
    for (const char* of : {"containers", "initContainers"}) {
      auto pods = parser.list<PodObject>(pod(R"({")" + std::string(of) + R"(":[)" + count + "]}"));
      ASSERT_TRUE(pods);
      EXPECT_EQ(pods->first_problem, "x/p has no readable count of nvidia.com/gpu") << of << wrong;
    }
    auto node = parser.object<NodeObject>(
        R"({"metadata":{"name":"n"},"status":{"capacity":{"nvidia.com/gpu":)" + std::string(wrong) + "}}}");
    ASSERT_TRUE(node);
    EXPECT_EQ(node->unread_gpus, "nvidia.com/gpu") << wrong;
    EXPECT_TRUE(has_gpus(*node));
  }
  auto other = parser.list<PodObject>(
      pod(R"({"containers":[{"resources":{"limits":{"example.com/x":"many","nvidia.com/gpu":0}}}]})"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->skipped, 0u) << "what is no GPU decides nothing here";
}

TEST(KubernetesParse, WhatIsWithoutItsMainPartIsCountedAndNamed) {
  Parser parser;
  auto pods = parser.list<PodObject>(
      R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"namespace":"x","name":"p"},"spec":7}]})");
  ASSERT_TRUE(pods);
  EXPECT_EQ(pods->skipped, 1u);
  EXPECT_EQ(pods->first_problem, "x/p has no spec");
  auto nodes = parser.list<NodeObject>(
      R"({"metadata":{"resourceVersion":"5"},"items":[{"metadata":{"name":"n"},"status":null}]})");
  ASSERT_TRUE(nodes);
  EXPECT_EQ(nodes->first_problem, "n has no status");
  EXPECT_FALSE(parser.object<PodObject>(R"({"metadata":{"namespace":"x","name":"p"}})"));
  auto line = parser.line<PodObject>(R"({"type":"MODIFIED","object":{"metadata":{"name":"p"},"spec":[]}})");
  ASSERT_TRUE(line);
  EXPECT_FALSE(line->object);
  EXPECT_EQ(line->problem, "p has no spec");
  auto gone = parser.line<PodObject>(R"({"type":"DELETED","object":{"metadata":{"name":"p"}}})");
  ASSERT_TRUE(gone && gone->object);
}

TEST(KubernetesParse, ATextThatBreaksOffIsAnErrorAndNoList) {
  Parser parser;
  std::string whole = recording("nodes-page1.json");
  EXPECT_FALSE(parser.list<NodeObject>(whole.substr(0, whole.size() / 2)));
  EXPECT_FALSE(parser.list<NodeObject>(""));
  EXPECT_FALSE(parser.list<NodeObject>("404 page not found"));
  EXPECT_FALSE(parser.list<NodeObject>("{}"));
  EXPECT_FALSE(parser.list<NodeObject>("\xff\xfe{}"));
}

TEST(KubernetesParse, HostileTextIsCleaned) {
  NodeObject node = node_object(node_json("n\\u001b[31m1", {{"nvidia.com/gpu.product", "x\\u0007y"}}, {}));
  EXPECT_EQ(node.meta.name.find('\x1b'), std::string::npos);
  EXPECT_EQ(node.label("nvidia.com/gpu.product"), "x·y");
}

// GPU feature discovery's labels for one H100 cut by "mixed" and "all-balanced" (cloud-native-docs,
// gpu-operator/manifests/output/mig-mixed-node-labels.json).
Labels balanced() {
  return {{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"},
          {"nvidia.com/gpu.count", "1"},
          {"nvidia.com/gpu.replicas", "0"},
          {"nvidia.com/gpu.memory", "81559"},
          {"nvidia.com/mig.strategy", "mixed"},
          {"nvidia.com/mig.config", "all-balanced"},
          {"nvidia.com/mig.config.state", "success"},
          {"nvidia.com/mig-1g.10gb.count", "2"},
          {"nvidia.com/mig-1g.10gb.replicas", "1"},
          {"nvidia.com/mig-2g.20gb.count", "1"},
          {"nvidia.com/mig-2g.20gb.replicas", "1"},
          {"nvidia.com/mig-3g.40gb.count", "1"},
          {"nvidia.com/mig-3g.40gb.replicas", "1"},
          {"nvidia.com/mig-1g.10gb.memory", "9984"}};
}

std::string profiles(const std::vector<Slice>& slices) {
  std::string text;
  for (const Slice& slice : slices) text += (text.empty() ? "" : " ") + slice.profile.text;
  return text;
}

TEST(KubernetesNodes, MixedOnOneBoardStandsOnThatBoard) {
  Node node = node_from(node_json("n1", balanced(),
                                  {{"nvidia.com/gpu", "0"},
                                   {"nvidia.com/mig-1g.10gb", "2"},
                                   {"nvidia.com/mig-2g.20gb", "1"},
                                   {"nvidia.com/mig-3g.40gb", "1"}}));
  ASSERT_EQ(node.gpus.size(), 1u);
  EXPECT_EQ(node.gpus[0].origin.source, Source::kubernetes_nodes);  // nothing to conclude: there is one GPU
  EXPECT_EQ(profiles(node.gpus[0].slices), "1g.10gb 1g.10gb 2g.20gb 3g.40gb");
}

TEST(KubernetesNodes, BoardsThatMayBeCutDifferentlyMakeAPool) {
  Labels labels = balanced();
  labels["nvidia.com/gpu.count"] = "2";
  Node node = node_from(node_json("n1", labels, {}));  // an odd number of 2g cannot be alike on two GPUs
  EXPECT_TRUE(node.gpus.empty());
  EXPECT_EQ(profiles(node.pool), "1g.10gb 1g.10gb 2g.20gb 3g.40gb");
  for (const Slice& slice : node.pool) EXPECT_FALSE(slice.placement);
}

TEST(KubernetesNodes, EvenCountsProveNothingUnlessTheLayoutWasMadeAlike) {
  Labels labels = balanced();
  labels["nvidia.com/gpu.count"] = "2";
  for (const char* profile : {"1g.10gb", "2g.20gb", "3g.40gb"})
    labels["nvidia.com/mig-" + std::string(profile) + ".count"] = "2";
  labels["nvidia.com/mig.config"] = "my-own";
  EXPECT_EQ(node_from(node_json("n1", labels, {})).pool.size(), 6u);
  labels["nvidia.com/mig.config"] = "all-balanced";
  EXPECT_EQ(node_from(node_json("n1", labels, {})).gpus.size(), 2u);
}

TEST(KubernetesNodes, WholeBoardsBesideCutOnesAreNotGivenNumbers) {
  Labels labels = balanced();
  labels["nvidia.com/gpu.count"] = "3";
  labels["nvidia.com/gpu.replicas"] = "1";
  Node node = node_from(node_json("n1", labels, {{"nvidia.com/gpu", "2"}}));
  EXPECT_TRUE(node.gpus.empty());
  ASSERT_EQ(node.pool.size(), 6u);
  EXPECT_EQ(node.pool.back().kind, SliceKind::whole_gpu);
}

TEST(KubernetesNodes, AttributesOfProfilesAreSpelledWithADot) {
  Labels labels{{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3"},
                {"nvidia.com/gpu.count", "1"},
                {"nvidia.com/mig.strategy", "mixed"},
                {"nvidia.com/mig-1g.10gb.me.count", "1"},
                {"nvidia.com/mig-1g.10gb.count", "6"}};
  Node node = node_from(node_json("n1", labels, {}));
  ASSERT_EQ(node.gpus.size(), 1u);
  EXPECT_EQ(profiles(node.gpus[0].slices), "1g.10gb 1g.10gb 1g.10gb 1g.10gb 1g.10gb 1g.10gb 1g.10gb+me");
}

TEST(KubernetesNodes, TimeSlicingGivesEachBoardItsReplicas) {
  // As on four T4 with four replicas: the count is of GPUs, the capacity of shares.
  Node node = node_from(node_json("n1",
                                  {{"nvidia.com/gpu.product", "Tesla-T4-SHARED"},
                                   {"nvidia.com/gpu.count", "4"},
                                   {"nvidia.com/gpu.replicas", "4"},
                                   {"nvidia.com/gpu.sharing-strategy", "time-slicing"}},
                                  {{"nvidia.com/gpu", "16"}}));
  ASSERT_EQ(node.gpus.size(), 4u);
  EXPECT_EQ(node.gpus[0].model, "Tesla-T4");
  EXPECT_EQ(node.gpus[0].strategy, Strategy::time_slicing);
  EXPECT_EQ(node.gpus[0].replicas, 4);
  ASSERT_EQ(node.gpus[0].slices.size(), 1u);
  EXPECT_EQ(node.gpus[0].slices[0].kind, SliceKind::time_slice);
  EXPECT_EQ(node.gpus[0].slices[0].capacity, 4);
}

TEST(KubernetesNodes, AnInvalidStrategyOffersNothing) {
  Node node = node_from(node_json("n1",
                                  {{"nvidia.com/gpu.product", "NVIDIA-H100-80GB-HBM3-MIG-INVALID"},
                                   {"nvidia.com/gpu.count", "0"},
                                   {"nvidia.com/mig.strategy", "single"}},
                                  {{"nvidia.com/gpu", "0"}}));
  EXPECT_EQ(node.health, Health::invalid);
  EXPECT_TRUE(node.gpus.empty());
  EXPECT_EQ(node.model, "NVIDIA-H100-80GB-HBM3");
}

TEST(KubernetesNodes, PlatformsTellInTheirOwnWay) {
  Node gke = node_from(node_json("n1",
                                 {{"cloud.google.com/gke-accelerator", "nvidia-tesla-a100"},
                                  {"cloud.google.com/gke-gpu-partition-size", "1g.5gb"}},
                                 {{"nvidia.com/gpu", "7"}}));
  EXPECT_EQ(profiles(gke.pool), "1g.5gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb 1g.5gb");
  Node ack = node_from(node_json("n2", {{"ack.node.gpu.schedule", "share"}},
                                 {{"aliyun.com/gpu-mem", "30"}, {"aliyun.com/gpu-count", "2"}}));
  ASSERT_EQ(ack.gpus.size(), 2u);
  EXPECT_EQ(ack.gpus[0].slices[0].kind, SliceKind::shard);
  EXPECT_EQ(ack.gpus[0].slices[0].capacity, 15);
  ack = node_from(node_json("n2",
                            {{"ack.node.gpu.schedule", "mps"},
                             {"alibabacloud.com/nodepool-id", "np-7"},
                             {"aliyun.accelerator/nvidia_name", "NVIDIA-A10"},
                             {"aliyun.accelerator/nvidia_mem", "23028MiB"}},
                            {{"aliyun.com/gpu-mem", "44"}, {"aliyun.com/gpu-count", "2"}}));
  ASSERT_EQ(ack.gpus.size(), 2u);
  EXPECT_EQ(ack.gpus[0].strategy, Strategy::mps);
  EXPECT_EQ(ack.gpus[0].replicas, 22);
  EXPECT_EQ(ack.gpus[0].model, "NVIDIA-A10");
  EXPECT_EQ(ack.gpus[0].memory, Mib{23028});
  EXPECT_EQ(ack.partitions, std::vector<std::string>{"np-7"});
  EXPECT_TRUE(sharing::ack::decides(ack));
  ack = node_from(
      node_json("n2", {{"ack.node.gpu.schedule", "default"}, {"aliyun.accelerator/nvidia_count", "2"}}, {}));
  EXPECT_EQ(ack.gpus.size(), 2u) << "between two modes nothing is offered, and the GPUs are there";
  Node vm = node_from(node_json("n3", {}, {{"nvidia.com/NVIDIA_A10-12Q", "4"}}));
  ASSERT_EQ(vm.pool.size(), 4u);
  EXPECT_EQ(vm.pool[0].kind, SliceKind::vgpu);
}

TEST(KubernetesNodes, BoardsThatHamiSplitsAreToldInBothOfItsSpellings) {
  for (const char* boards :
       {R"([{\"id\":\"GPU-1\",\"index\":0,\"count\":10,\"devmem\":81920},{\"id\":\"GPU-2\",\"count\":10}])",
        "GPU-1,10,81920,100,NVIDIA-NVIDIA A100,0,true:GPU-2,10,81920,100,NVIDIA-NVIDIA A100,0,true:"}) {
    std::string text =
        R"({"metadata":{"name":"n1","labels":{"nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB",)"
        R"("nvidia.com/gpu.count":"2","nvidia.com/gpu.replicas":"1"},"annotations":)"
        R"({"hami.io/node-nvidia-register":")" +
        std::string(boards) + R"("}},"status":{"capacity":{"nvidia.com/gpu":"20"},)" +
        R"("allocatable":{"nvidia.com/gpu":"20"}}})";
    Node node = node_from(text);
    ASSERT_EQ(node.gpus.size(), 2u) << boards;
    EXPECT_EQ(node.gpus[0].slices.at(0).kind, SliceKind::shard);
    EXPECT_EQ(node.gpus[0].slices[0].capacity, 10);
    NodeObject object = Parser().object<NodeObject>(text).value();
    NodeSharing sharing = sharing_of(object, &test::catalogue());
    EXPECT_FALSE(labels_and_counts_differ(object, sharing)) << "that is no drift";
    PodObject pod;
    pod.node = "n1";
    pod.phase = "Running";
    pod.requests = {{"nvidia.com/gpu", 1}, {"nvidia.com/gpumem", 3000}, {"nvidia.com/gpucores", 30}};
    Workload work = workload_of(pod, &sharing, {});
    ASSERT_EQ(work.allocations.size(), 1u) << "memory and cores are limits of the share";
    EXPECT_EQ(work.allocations[0].family, Family::shard);
    EXPECT_EQ(work.allocations[0].count, 1);
    // 3000 MiB were counted as 3000 of 20 shares, and the node as full.
    pod.requests = {{"nvidia.com/gpumem", 3000}};
    work = workload_of(pod, &sharing, {});
    ASSERT_EQ(work.allocations.size(), 1u);
    EXPECT_EQ(work.allocations[0].family, Family::shard);
    EXPECT_EQ(work.allocations[0].count, 1) << "HAMi gives it a share of one GPU";
  }
  for (const char* odd :
       {"", "[", "GPU-1", "GPU-1,", R"([{\"count\":}])", "GPU-1,7,1"}) {  // 20 is no seventh
    Node node = node_from(R"({"metadata":{"name":"n1","annotations":{"hami.io/node-nvidia-register":")" +
                          std::string(odd) + R"("}},"status":{"capacity":{"nvidia.com/gpu":"20"}}})");
    EXPECT_EQ(node.gpus.size(), 20u) << odd;
  }
}

TEST(KubernetesNodes, WhoWroteTheLabelThatOrdersTheLayoutLastIsKept) {
  const auto order = [](const std::string& entries) {
    const Node node =
        node_from(R"({"metadata":{"name":"n1","managedFields":[)" + entries +
                  R"(],"labels":{"nvidia.com/gpu.product":"Tesla-T4","nvidia.com/gpu.count":"1",)" +
                  R"("nvidia.com/mig.config":"all-1g.10gb"}},"status":{}})");
    EXPECT_TRUE(node.order);
    return node.order.value_or(LayoutOrder{});
  };
  const auto entry = [](const std::string& manager, const std::string& time, const std::string& field) {
    return R"({"manager":")" + manager + R"(","operation":"Update","time":")" + time +
           R"(","fieldsV1":{"f:metadata":{"f:labels":{"f:)" + field + R"(":{}}}}})";
  };
  EXPECT_EQ(order("").by, "") << "not told is unknown";
  const LayoutOrder last =
      order(entry("nvidia-mig-manager", "2026-11-21T11:59:00Z", "nvidia.com/mig.config.state") + "," +
            entry("kubectl-label", "2026-11-21T11:50:00Z", "nvidia.com/mig.config") + "," +
            entry("argocd", "2026-11-20T11:50:00Z", "nvidia.com/mig.config"));
  EXPECT_EQ(last.by, "kubectl-label");
  EXPECT_EQ(last.written, parse_utc("2026-11-21T11:50:00Z"));
  // A client names itself as it likes.
  const LayoutOrder hostile =
      order(entry("\\u001b[2J" + std::string(5000, 'x'), "soon", "nvidia.com/mig.config"));
  EXPECT_EQ(hostile.by.find('\x1b'), std::string::npos);
  EXPECT_LE(hostile.by.size(), 110u);
  EXPECT_EQ(hostile.written, std::nullopt);
  EXPECT_EQ(order(entry("", "2026-11-21T11:50:00Z", "nvidia.com/mig.config")).by, "a client without a name");
}

TEST(KubernetesNodes, WhoWroteALabelThatOrdersSharesOrVgpusLastIsKeptWhereTheNodeHasIt) {
  const auto entry = [](const std::string& manager, const std::string& field) {
    return R"({"manager":")" + manager + R"(","operation":"Update","time":"2026-11-21T11:50:00Z",)" +
           R"("fieldsV1":{"f:metadata":{"f:labels":{"f:)" + field + R"(":{}}}}})";
  };
  const std::string entries = entry("flux", "nvidia.com/vgpu.config") + "," +
                              entry("kubectl-label", "nvidia.com/device-plugin.config") + "," +
                              entry("gone", "nvidia.com/gpu.workload.config");
  const Node node =
      node_from(R"({"metadata":{"name":"n1","managedFields":[)" + entries +
                R"(],"labels":{"nvidia.com/gpu.product":"Tesla-T4","nvidia.com/gpu.count":"1",)" +
                R"("nvidia.com/device-plugin.config":"mps-4","nvidia.com/vgpu.config":"A100-20C"}},)" +
                R"("status":{}})");
  const auto at = parse_utc("2026-11-21T11:50:00Z");
  EXPECT_EQ(node.writes, (std::vector<LabelWrite>{{"nvidia.com/device-plugin.config", "kubectl-label", at},
                                                  {"nvidia.com/vgpu.config", "flux", at}}));
  EXPECT_FALSE(node.order) << "no layout is ordered";
}

TEST(KubernetesNodes, HealthIsWhatTheSchedulerSays) {
  Labels one{{"nvidia.com/gpu.product", "Tesla-T4"}, {"nvidia.com/gpu.count", "1"}};
  std::string closed = node_json("n1", one, {}, R"("unschedulable":true)");
  EXPECT_EQ(node_from(closed, true).health, Health::draining);
  EXPECT_EQ(node_from(closed, false).health, Health::drained);
  EXPECT_EQ(node_from(closed).state, (std::vector<std::string>{"READY", "SCHEDULINGDISABLED"}));
  std::string down = node_json("n1", one, {}, "", "Unknown");
  EXPECT_EQ(node_from(down).health, Health::down);
  EXPECT_NE(node_from(down).reason.find("kubelet"), std::string::npos);
}

// Capacity 56, allocatable 49: seven instances, or one GPU of seven time-slices.
TEST(KubernetesNodes, WhatTheDevicePluginFoundUnhealthyIsOutOfUse) {
  Labels one{{"nvidia.com/gpu.product", "Tesla-T4"}, {"nvidia.com/gpu.count", "8"}};
  NodeObject node = node_object(node_json("n1", one, {{"nvidia.com/gpu", "8"}}));
  auto out = [&] { return out_of_use(node, sharing_of(node, &test::catalogue())); };
  EXPECT_TRUE(out().empty());
  node.allocatable["nvidia.com/gpu"] = 7;
  EXPECT_EQ(out(), (std::vector<OutOfUse>{{Family::gpu, "", 1}}));
  node.meta.labels["nvidia.com/gpu.replicas"] = Text("7");
  node.meta.labels["nvidia.com/gpu.sharing-strategy"] = Text("time-slicing");
  node.capacity["nvidia.com/gpu"] = 56;
  node.allocatable["nvidia.com/gpu"] = 49;
  EXPECT_EQ(out(), (std::vector<OutOfUse>{{Family::shard, "", 1}}));
  NodeObject cut = node_object(node_json("n1", balanced(), {{"nvidia.com/mig-1g.10gb", "2"}}));
  cut.allocatable["nvidia.com/mig-1g.10gb"] = 0;
  EXPECT_EQ(out_of_use(cut, sharing_of(cut, &test::catalogue())),
            (std::vector<OutOfUse>{{Family::gpu, "1g.10gb", 2}}));
}

TEST(KubernetesNodes, TaintsAreToldButForThatOfACordon) {
  Node node = node_from(node_json("n1", {{"nvidia.com/gpu.count", "1"}}, {},
                                  R"("taints":[{"key":"team","value":"x","effect":"NoExecute"},)"
                                  R"({"key":"nvidia.com/gpu","effect":"NoSchedule"},)"
                                  R"({"key":"node.kubernetes.io/unschedulable","effect":"NoSchedule"}])"));
  EXPECT_EQ(node.taints, (std::vector<std::string>{"team=x:NoExecute", "nvidia.com/gpu:NoSchedule"}));
}

TEST(KubernetesNodes, ALabelWithAWildNumberMakesNoWildNode) {
  Node node = node_from(node_json("n1",
                                  {{"nvidia.com/gpu.product", "Tesla-T4"},
                                   {"nvidia.com/gpu.count", "99999999999999"},
                                   {"nvidia.com/gpu.replicas", "-4"}},
                                  {{"nvidia.com/gpu", "9223372036854775807"}}));
  EXPECT_LE(node.gpus.size() + node.pool.size(), 1024u);
}

// Fleet files choose nodes by them.
TEST(KubernetesNodes, LabelsThatASiteSetsAreReadAndThoseThatProgramsSetByTheHundredAreNot) {
  const Node node = node_from(node_json("n1",
                                        {{"team", "ml"},
                                         {"example.com/pool", "a"},
                                         {"kubernetes.io/arch", "arm64"},
                                         {"kubernetes.io/hostname", "n1"},
                                         {"feature.node.kubernetes.io/cpu-cpuid.AVX", "true"},
                                         {"nvidia.com/mig-1g.10gb.engines.copy", "1"},
                                         {"nvidia.com/gpu.workload.config", "container"}},
                                        {}));
  EXPECT_EQ(node.features, (std::vector<std::string>{"example.com/pool=a", "kubernetes.io/arch=arm64",
                                                     "nvidia.com/gpu.workload.config=container", "team=ml"}));
}

TEST(KubernetesPods, APodOnAMixedNodeHoldsWhatItsResourceMeans) {
  NodeObject object = node_object(node_json("n1", balanced(), {}));
  NodeSharing sharing = sharing_of(object, &test::catalogue());
  PodObject slice =
      pod(R"("nodeName":"n1","containers":[{"resources":{"limits":{"nvidia.com/mig-1g.10gb":"1"}}}])");
  EXPECT_EQ(workload_of(slice, &sharing, kOrigin).allocations.at(0).type, "1g.10gb");
  PodObject whole = pod(R"("nodeName":"n1","containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}])");
  EXPECT_EQ(workload_of(whole, &sharing, kOrigin).allocations.at(0).type, "NVIDIA-H100-80GB-HBM3");
}

DaemonSetObject daemon_set(const std::string& app, const std::string& deploy) {
  DaemonSetObject set;
  set.meta.name = app;
  set.meta.name_space = "gpu-operator";
  set.app = app;
  set.node_selector["nvidia.com/gpu.deploy." + deploy] = Text("true");
  return set;
}

TEST(KubernetesComponents, ReadyPausedMissingAndOptedOut) {
  NodeObject node = node_object(node_json("n1",
                                          {{"nvidia.com/gpu.present", "true"},
                                           {"nvidia.com/gpu.deploy.driver", "true"},
                                           {"nvidia.com/gpu.deploy.device-plugin", "paused-for-mig-change"},
                                           {"nvidia.com/gpu.deploy.mig-manager", "true"},
                                           {"nvidia.com/gpu.deploy.dcgm", "false"}},
                                          {}));
  std::vector<DaemonSetObject> sets = {daemon_set("nvidia-driver-daemonset", "driver"),
                                       daemon_set("nvidia-device-plugin-daemonset", "device-plugin"),
                                       daemon_set("nvidia-mig-manager", "mig-manager"),
                                       daemon_set("nvidia-dcgm", "dcgm")};
  PodObject driver = pod("", R"("phase":"Running","conditions":[{"type":"Ready","status":"True"}])",
                         R"("labels":{"app":"nvidia-driver-daemonset"})");
  auto parts = components_of(node, &sets, {stack_pod_of(driver)});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0], (Component{"driver", Part::ready, ""}));
  EXPECT_EQ(parts[1].name, "MIG manager");
  EXPECT_EQ(parts[1].state, Part::missing);
  EXPECT_EQ(parts[2].name, "device plugin");
  EXPECT_EQ(parts[2].state, Part::paused);
  EXPECT_EQ(components_of(node, nullptr, {stack_pod_of(driver)}).size(),
            2u);  // what is missing is not known
}

TEST(KubernetesComponents, OneThatIsNotReadyTellsSinceWhen) {
  const PodObject driver = pod("",
                               R"("phase":"Running","conditions":[{"type":"Ready","status":"False",)"
                               R"("lastTransitionTime":"2026-11-21T11:00:00Z"}])",
                               R"("labels":{"app":"nvidia-driver-daemonset"})");
  const NodeObject node = node_object(node_json("n1", {}, {}));
  const auto parts = components_of(node, nullptr, {stack_pod_of(driver)});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].state, Part::not_ready);
  EXPECT_EQ(parts[0].since, parse_utc("2026-11-21T11:00:00Z"));
}

TEST(KubernetesNodes, WhenTheStateOfItsDriverUpgradeWasWrittenIsRead) {
  const NodeObject node = node_object(
      R"({"metadata":{"name":"n1","managedFields":[{"manager":"gpu-operator","time":"2026-11-21T11:00:00Z",)"
      R"("fieldsV1":{"f:metadata":{"f:labels":{"f:nvidia.com/gpu-driver-upgrade-state":{}}}}}]},)"
      R"("spec":{},"status":{}})");
  EXPECT_EQ(node.written.upgrade, parse_utc("2026-11-21T11:00:00Z"));
  EXPECT_EQ(node.written.order, std::nullopt);
}

TEST(KubernetesDra, DevicesAndClaimsAreRead) {
  Parser parser;
  auto slice = parser.object<ResourceSliceObject>(
      R"({"metadata":{"name":"s"},"spec":{"driver":"gpu.nvidia.com","nodeName":"n1","pool":{"name":"n1"},)"
      R"("devices":[{"name":"gpu-0-mig-1g24gb-14-0","attributes":{"type":{"string":"mig"},"profile":)"
      R"({"string":"1g.24gb"},"parentUUID":{"string":"GPU-1"}},"capacity":{"memory":{"value":"23Gi"}}},)"
      R"({"basic":{},"name":"gpu-1"}]}})");
  ASSERT_TRUE(slice);
  ASSERT_EQ(slice->devices.size(), 2u);
  EXPECT_EQ(slice->devices[0].profile, "1g.24gb");
  EXPECT_EQ(slice->devices[0].parent, "GPU-1");
  EXPECT_EQ(slice->devices[0].memory, Mib{23 * 1024});
  auto claim = parser.object<ResourceClaimObject>(
      R"({"metadata":{"name":"c"},"status":{"allocation":{"devices":{"results":[{"driver":"gpu.nvidia.com",)"
      R"("pool":"n1","device":"gpu-1"}]}},"reservedFor":[{"resource":"pods","name":"p"}]}})");
  ASSERT_TRUE(claim);
  ASSERT_EQ(claim->results.size(), 1u);
  EXPECT_EQ(claim->results[0].device, "gpu-1");
  EXPECT_EQ(claim->reserved, (std::vector<std::string>{"p"}));
}

}  // namespace
}  // namespace tessera::kubernetes
