// Pods as an API server reports them: what they ask for and hold, whose they are, what reaches GPUs unasked.
#include <gtest/gtest.h>

#include "backends/kubernetes/objects/node_values.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/objects/pod_values.hpp"
#include "engine/sharing/ack.hpp"
#include "tests/backends/kubernetes/one_pod.hpp"
#include "tests/backends/kubernetes/texts.hpp"
#include "tests/support/catalogue.hpp"

namespace tessera::kubernetes {
namespace {

using namespace std::chrono;
const Origin kPodsOrigin{Source::kubernetes_nodes, TimePoint(1s)};

TEST(KubernetesParse, OfAPodsCommandItIsReadHowManyProcessesItStarts) {
  const auto use = [](const std::string& command) {
    const std::string json =
        R"({"kind": "Pod", "metadata": {"namespace": "a", "name": "p"}, "spec": {"hostIPC": true, "containers": [
            {"name": "sidecar", "command": ["mpirun", "-np", "9"]},
            {"name": "main", "resources": {"limits": {"nvidia.com/gpu": 1}}, )" +
        command + "}]}}";
    auto pod = Parser().object<PodObject>(json);
    EXPECT_TRUE(pod) << json;
    const Workload read = workload_of(*pod, nullptr, kPodsOrigin);
    return read.pod ? *read.pod : PodUse{};
  };
  const PodUse mpi = use(R"("command": ["/usr/bin/mpirun", "-np", "4", "./solve"])");
  EXPECT_EQ(mpi.processes, 4);
  EXPECT_EQ(mpi.container, "main");
  EXPECT_TRUE(mpi.host_ipc);
  EXPECT_EQ(use(R"("command": ["sh", "-c"], "args": ["torchrun --nproc_per_node=2 train.py"])").processes, 2);
  EXPECT_EQ(use(R"("command": ["python", "-m", "torch.distributed.run", "--nproc-per-node", "8"])").processes,
            8);
  for (const char* untold : {R"("command": ["sort", "-n", "4"])", R"("args": ["--workers=4"])",
                             R"("command": ["mpirun", "-np", "many"])"})
    EXPECT_EQ(use(untold).processes, 0) << untold;
}

TEST(KubernetesPods, RequestsOfContainersAddUpAndThoseBeforeThemDoNot) {
  PodObject object =
      pod(R"("nodeName":"n1","initContainers":[{"resources":{"limits":{"nvidia.com/gpu":"2"}}}],)"
          R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"1","cpu":"4"}}},)"
          R"({"resources":{"limits":{"nvidia.com/gpu":"2"},"requests":{"nvidia.com/gpu":"2"}}}])");
  EXPECT_EQ(object.requests, (Counts{{"nvidia.com/gpu", 3}}));
}

Counts asked(const std::string& spec) { return pod(spec).requests; }
std::string limits(int count, const std::string& more = "") {
  return R"({"resources":{"limits":{"nvidia.com/gpu":")" + std::to_string(count) + R"("}})" + more + "}";
}

// "main 1 + two sidecars 1" was shown as 1, "main 1, sidecar 1, init 3" as 3.
TEST(KubernetesPods, SidecarsCountAsTheSchedulerCountsThem) {
  const std::string kStays = R"(,"restartPolicy":"Always")";
  const std::string main = R"("containers":[)" + limits(1) + "]";
  auto with = [&](const std::string& first) { return asked(R"("initContainers":[)" + first + "]," + main); };
  EXPECT_EQ(with(limits(1, kStays) + "," + limits(1, kStays)), (Counts{{"nvidia.com/gpu", 3}}));
  EXPECT_EQ(with(limits(1, kStays) + "," + limits(3)), (Counts{{"nvidia.com/gpu", 4}}));
  EXPECT_EQ(with(limits(3) + "," + limits(1, kStays)), (Counts{{"nvidia.com/gpu", 3}}))
      << "it had ended before the sidecar was started";
  EXPECT_EQ(asked(main + R"(,"initContainers":[)" + limits(1, kStays) + "]"), (Counts{{"nvidia.com/gpu", 2}}))
      << "in whatever order the fields come";
}

TEST(KubernetesPods, WhatAWaitingPodAsksForBesideGpusIsToldInWholeCpusAndMib) {
  const auto needs = [](const std::string& asks, const std::string& more = "",
                        const std::string& status = R"("phase":"Pending")") {
    const PodObject object =
        pod(R"("containers":[{"resources":{"requests":{"nvidia.com/gpu":"1")" + asks + "}}}]" + more, status);
    const Workload work = workload_of(object, nullptr, kPodsOrigin);
    return work.needs ? std::optional(*work.needs) : std::nullopt;
  };
  const auto both = needs(R"(,"cpu":"4500m","memory":"1.5Gi")");
  ASSERT_TRUE(both);
  EXPECT_EQ(both->cpus, 4) << "what a node has left is rounded down, too";
  EXPECT_EQ(both->memory, Mib{1536});
  const auto overhead = needs(R"(,"cpu":"4500m")", R"(,"overhead":{"cpu":"500m"})");
  ASSERT_TRUE(overhead);
  EXPECT_EQ(overhead->cpus, 5);
  EXPECT_EQ(overhead->memory, std::nullopt);
  EXPECT_FALSE(needs(""));
  EXPECT_FALSE(needs(R"(,"cpu":"500m")"));
  EXPECT_FALSE(needs(R"(,"cpu":"8")", "", R"("phase":"Running")"));
  EXPECT_FALSE(needs(R"(,"cpu":"8")", R"(,"nodeName":"n1")")) << "it has its node";
}

TEST(KubernetesPods, NetworkCardsAreNoGpus) {
  PodObject rdma = pod(R"("nodeName":"n1","containers":[{"resources":{"limits":{"nvidia.com/hostdev":"1",)"
                       R"("nvidia.com/rdma_shared_device_a":"1"}}}])");
  EXPECT_TRUE(rdma.requests.empty());
  EXPECT_FALSE(is_gpu_work(rdma, true));
}

TEST(KubernetesPods, WhoseItIsAndWhetherItComesBack) {
  std::string gpu = R"("containers":[{"resources":{"limits":{"nvidia.com/mig-1g.10gb.me":"1"}}}])";
  Workload job = workload_of(pod(gpu,
                                 R"("phase":"Pending","conditions":[{"type":"PodScheduled","status":)"
                                 R"("False","reason":"Unschedulable","message":"0/3 nodes are available"}])",
                                 R"("ownerReferences":[{"kind":"Job","name":"train","controller":true}])"),
                             nullptr, kPodsOrigin);
  EXPECT_EQ(job.user, "Job/train");
  EXPECT_EQ(job.restartable, true);
  EXPECT_EQ(job.state, WorkloadState::pending);
  EXPECT_EQ(job.reason, "0/3 nodes are available");
  EXPECT_TRUE(job.allocations.empty());
  ASSERT_EQ(job.requests.size(), 1u);
  EXPECT_EQ(job.requests[0].resource, "nvidia.com/mig-1g.10gb.me");
  Workload hub =
      workload_of(pod(gpu, R"("phase":"Running")", R"("annotations":{"hub.jupyter.org/username":"alice"})"),
                  nullptr, kPodsOrigin);
  EXPECT_EQ(hub.user, "alice");
}

TEST(KubernetesPods, ADeadlineIsATimeLimitAndItsPriorityIsANumber) {
  const auto read = [](const std::string& spec, const std::string& status) {
    return workload_of(
        pod(R"("containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}])" + spec, status), nullptr,
        kPodsOrigin);
  };
  const Workload waits = read(R"(,"priority":-5,"activeDeadlineSeconds":7200)", R"("phase":"Pending")");
  EXPECT_EQ(waits.limit, Duration(2h));
  EXPECT_EQ(waits.priority, -5);
  EXPECT_EQ(waits.ends, std::nullopt);
  const Workload runs =
      read(R"(,"activeDeadlineSeconds":60)", R"("phase":"Running","startTime":"2026-11-21T10:00:00Z")");
  ASSERT_TRUE(runs.started);
  EXPECT_EQ(runs.ends, *runs.started + 1min);
  EXPECT_EQ(runs.priority, std::nullopt);
  for (const char* none : {"0", "-1", "1e30", "4294967296", "\"60\"", "null", "[]"})
    EXPECT_EQ(read(std::string(R"(,"activeDeadlineSeconds":)") + none, "").limit, std::nullopt) << none;
}

TEST(KubernetesPods, AGpuReachedUnaskedIsTold) {
  PodObject env =
      pod(R"("nodeName":"n1","containers":[{"env":[{"name":"NVIDIA_VISIBLE_DEVICES","value":"all"}]}])");
  EXPECT_EQ(unasked_way(env), "NVIDIA_VISIBLE_DEVICES=all");
  EXPECT_TRUE(is_gpu_work(env, true));
  EXPECT_FALSE(is_gpu_work(env, false));
  Workload work = workload_of(env, nullptr, kPodsOrigin);
  ASSERT_EQ(work.allocations.size(), 1u);
  EXPECT_EQ(work.allocations[0].count, 0);
  EXPECT_EQ(unasked_way(pod(R"("containers":[{"env":[{"name":"NVIDIA_VISIBLE_DEVICES","value":"void"}]}])")),
            "");
  EXPECT_EQ(unasked_way(pod(R"("containers":[{"securityContext":{"privileged":true}}])")), "privileged");
  EXPECT_EQ(unasked_way(pod(R"("volumes":[{"hostPath":{"path":"/dev/nvidia0"}}],"containers":[{}])")),
            "mounts its node's devices");
}

// CUDA images carry NVIDIA_VISIBLE_DEVICES=all themselves, so that a runtime class is all that it takes.
TEST(KubernetesPods, ARuntimeClassOrAnAnnotationReachesGpusToo) {
  EXPECT_EQ(unasked_way(pod(R"("runtimeClassName":"nvidia","containers":[{}])")), "runtimeClassName nvidia");
  EXPECT_EQ(unasked_way(pod(R"("runtimeClassName":"nvidia-cdi","containers":[{}])")),
            "runtimeClassName nvidia-cdi");
  EXPECT_EQ(unasked_way(pod(R"("runtimeClassName":"gvisor","containers":[{}])")), "");
  EXPECT_EQ(unasked_way(pod(R"("runtimeClassName":"nvidia","containers":[{"env":)"
                            R"([{"name":"NVIDIA_VISIBLE_DEVICES","value":"void"}]}])")),
            "")
      << "it says itself that it wants none";
  EXPECT_EQ(unasked_way(
                pod(R"("containers":[{}])", "", R"("annotations":{"cdi.k8s.io/test":"nvidia.com/gpu=all"})")),
            "annotation cdi.k8s.io/test: nvidia.com/gpu=all");
  EXPECT_EQ(unasked_way(pod(R"("containers":[{"volumeMounts":[{"mountPath":)"
                            R"("/var/run/nvidia-container-devices/all","name":"d"}]}])")),
            "NVIDIA_VISIBLE_DEVICES=all");
  EXPECT_EQ(unasked_way(pod(R"("containers":[{}],"ephemeralContainers":[{"securityContext":)"
                            R"({"privileged":true}}])")),
            "privileged")
      << "a debugging container";
}

TEST(KubernetesPods, AgentsOfEveryNodeAreNoGpuWorkUnlessTheyReachForGpus) {
  const std::string daemon = R"("ownerReferences":[{"kind":"DaemonSet","name":"agent","controller":true}])";
  auto agent = [&](const std::string& spec) { return pod(R"("nodeName":"n1",)" + spec, "", daemon); };
  const std::string root = R"("volumes":[{"hostPath":{"path":"/"}}],)";
  EXPECT_FALSE(is_gpu_work(agent(root + R"("containers":[{"securityContext":{"privileged":true}}])"), true));
  PodObject monitor = agent(R"("runtimeClassName":"nvidia","containers":[{}])");
  EXPECT_TRUE(is_gpu_work(monitor, true));
  EXPECT_TRUE(workload_of(monitor, nullptr, kPodsOrigin).stays);
  PodObject operand = monitor;
  operand.meta.labels["app.kubernetes.io/managed-by"] = Text("gpu-operator");
  EXPECT_FALSE(is_gpu_work(operand, true));
  PodObject plugin = monitor;
  plugin.meta.labels["app"] = Text("nvidia-device-plugin-daemonset");
  EXPECT_FALSE(is_gpu_work(plugin, true));
  plugin.requests["nvidia.com/gpu"] = 1;
  EXPECT_TRUE(is_gpu_work(plugin, true)) << "what asks for a GPU holds one, whatever it calls itself";
}

TEST(KubernetesPods, EndedWorkHoldsNothing) {
  PodObject object = pod(R"("nodeName":"n1","containers":[{"resources":{"limits":{"nvidia.com/gpu":"1"}}}])",
                         R"("phase":"Succeeded")");
  EXPECT_FALSE(is_gpu_work(object, true));
  EXPECT_TRUE(workload_of(object, nullptr, kPodsOrigin).allocations.empty());
}

}  // namespace
}  // namespace tessera::kubernetes
