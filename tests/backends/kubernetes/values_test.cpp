// What is told of pods that end, and of devices that are out of use.
#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "backends/kubernetes/objects/sharing_of.hpp"
#include "engine/plan/facts.hpp"
#include "tests/backends/kubernetes/texts.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
namespace {

Workload pod_told(const std::string& meta, const std::string& status) {
  const std::string json = R"({"metadata":{"namespace":"ml","name":"p")" + meta +
                           R"(},"spec":{"nodeName":"n1","containers":[{"name":"c","resources":{"limits":)"
                           R"({"nvidia.com/gpu":"1"}}}]},"status":{)" +
                           status + "}}";
  auto pod = Parser().object<PodObject>(json);
  EXPECT_TRUE(pod) << json;
  return pod ? workload_of(*pod, nullptr, {Source::kubernetes_pods, TimePoint{}}) : Workload{};
}

// kubectl says Terminating of a pod that is being deleted, whatever its phase.
TEST(KubernetesPodValues, APodThatIsBeingDeletedIsOnItsWayOut) {
  Workload going = pod_told(R"(,"deletionTimestamp":"2026-11-20T00:00:00Z")", R"("phase":"Running")");
  EXPECT_EQ(going.state, WorkloadState::completing);
  EXPECT_EQ(going.state_word, "Terminating");
  EXPECT_FALSE(going.allocations.empty()) << "it holds its GPU until it is gone";
  Workload there = pod_told("", R"("phase":"Running")");
  EXPECT_EQ(there.state, WorkloadState::running);
  EXPECT_EQ(there.state_word, "Running");
  EXPECT_EQ(pod_told("", R"("phase":"Failed")").state, WorkloadState::ended);
}

// slurm-bridge writes the number of the job that placed a pod.
TEST(KubernetesPodValues, APodThatSlurmPlacedNamesItsJob) {
  const auto labelled = [](const std::string& value) {
    return pod_told(R"(,"labels":{"scheduler.slinky.slurm.net/slurm-jobid":")" + value + R"("})",
                    R"("phase":"Running")")
        .comment;
  };
  EXPECT_EQ(labelled("42"), "placed by Slurm job 42");
  EXPECT_EQ(labelled(""), "");
  EXPECT_EQ(labelled("42; \\u001b[2J"), "");
}

// A run says in an annotation that it cordoned the node: else its own cordon is told as another's.
TEST(KubernetesNodeValues, ANodeThatARunHasCordonedSaysSo) {
  auto node = Parser().object<NodeObject>(node_json("n1", {}, {}));
  ASSERT_TRUE(node);
  node->conditions = {{"Ready", "True"}};
  node->unschedulable = true;
  auto reason = [&] {
    return node_of(*node, sharing_of(*node, &test::catalogue()), false,
                   {Source::kubernetes_nodes, TimePoint{}})
        .reason;
  };
  EXPECT_EQ(reason(), "cordoned");
  node->meta.annotations["tessera/closed"] = Text("tessera r1 ann@login1: all-balanced");
  const auto mark = plan::parse_mark(reason());
  ASSERT_TRUE(mark) << reason();
  EXPECT_EQ(mark->run, "r1");
  node->meta.annotations["tessera/closed"] = Text("");
  EXPECT_EQ(reason(), "cordoned") << "the run has opened it again, and an admin cordoned it since";
}

// A vGPU is offered one by one, whatever a label says of time-slicing.
TEST(KubernetesNodeValues, AVgpuThatIsOutOfUseIsOne) {
  Labels labels{{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB"},
                {"nvidia.com/gpu.count", "1"},
                {"nvidia.com/gpu.replicas", "4"},
                {"nvidia.com/gpu.sharing-strategy", "time-slicing"}};
  auto node = Parser().object<NodeObject>(node_json("n1", labels, {{"nvidia.com/GRID_A100-10C", "4"}}));
  ASSERT_TRUE(node);
  node->allocatable["nvidia.com/GRID_A100-10C"] = 1;
  NodeSharing sharing = sharing_of(*node, &test::catalogue());
  sharing.replicas = 4;
  auto out = out_of_use(*node, sharing);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].count, 3);
}

// Slices are told one by one, the node counts their replicas: a slice of which some are gone is out of use.
TEST(KubernetesNodeValues, ASliceOfWhichSomeReplicasAreGoneIsOutOfUse) {
  Labels labels{{"nvidia.com/gpu.product", "NVIDIA-A100-SXM4-40GB-SHARED"},
                {"nvidia.com/gpu.count", "2"},
                {"nvidia.com/gpu.replicas", "4"},
                {"nvidia.com/gpu.sharing-strategy", "time-slicing"}};
  auto node = Parser().object<NodeObject>(node_json("n1", labels, {{"nvidia.com/gpu", "8"}}));
  ASSERT_TRUE(node);
  NodeSharing sharing = sharing_of(*node, &test::catalogue());
  for (auto [usable, gone] : {std::pair{7, 1}, {5, 1}, {4, 1}, {3, 2}, {0, 2}}) {
    node->allocatable["nvidia.com/gpu"] = usable;
    auto out = out_of_use(*node, sharing);
    ASSERT_EQ(out.size(), 1u) << usable;
    EXPECT_EQ(out[0].count, gone) << usable;
  }
  node->allocatable["nvidia.com/gpu"] = 8;
  EXPECT_TRUE(out_of_use(*node, sharing).empty());
}

NodeObject machine(const std::string& capacity, const std::string& allocatable) {
  const auto node = Parser().object<NodeObject>(R"({"metadata":{"name":"n1"},"status":{"capacity":{)" +
                                                capacity + R"(},"allocatable":{)" + allocatable + "}}}");
  EXPECT_TRUE(node);
  return node ? *node : NodeObject{};
}

// A pod that asked for all 96 CPUs of a node was said to fit, though the kubelet keeps some for itself, and
// though the pods there had taken the rest.
TEST(KubernetesNodeValues, OfANodesCpusAndMemoryWhatPodsAreGivenAndHaveRequestedIsTold) {
  constexpr std::int64_t kMib = 1024 * 1024;
  const auto with = [](const NodeObject& object, const Compute& requested) {
    Node node = node_of(object, sharing_of(object, &test::catalogue()), false,
                        {Source::kubernetes_nodes, TimePoint{}});
    set_requested(node, object, requested);
    return node;
  };
  const NodeObject kept = machine(R"("cpu":"96","memory":"64Gi")", R"("cpu":"95500m","memory":"60Gi")");
  const Node empty = with(kept, {});
  EXPECT_EQ(empty.cpus, 95);
  EXPECT_EQ(empty.cpus_held, 0);
  EXPECT_EQ(empty.memory, Mib{60 * 1024});
  EXPECT_EQ(empty.memory_held, Mib{0});
  EXPECT_EQ(with(kept, {500, kMib, false}).cpus_held, 0) << "95 whole CPUs are left";
  EXPECT_EQ(with(kept, {501, kMib, false}).cpus_held, 1);
  EXPECT_EQ(with(kept, {501, kMib, false}).memory_held, Mib{1});
  EXPECT_EQ(with(kept, {8000, 0, true}).cpus_held, 8) << "it is this much at the least";
  const Node over = with(kept, {INT64_MAX, INT64_MAX, false});
  EXPECT_EQ(over.cpus_held, over.cpus);
  EXPECT_EQ(over.memory_held, over.memory);
  const Node untold = with(machine(R"("cpu":"96","memory":"64Gi")", ""), {8000, kMib, false});
  EXPECT_EQ(untold.cpus, 96);
  EXPECT_EQ(untold.cpus_held, std::nullopt) << "what pods are given is not told";
  EXPECT_EQ(untold.memory_held, std::nullopt);
}

}  // namespace
}  // namespace tessera::kubernetes
