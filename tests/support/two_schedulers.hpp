// A machine of two schedulers: a node of Slurm on hpc, whose slurmd runs in a pod of prod.
#pragma once

#include <utility>
#include <vector>

#include "engine/model/slinky.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

// of_pod: for how many of its two GPUs that pod has asked; the others are free for both.
inline Model two_schedulers(int of_pod = 1) {
  Model model;
  const auto tell = [&](const char* cluster, auto what) {
    reduce(model, Event{ClusterName(cluster), 0, at(0), std::move(what)});
  };
  const std::vector<Gpu> two = {gpu(0, Strategy::whole, {whole(0)}), gpu(1, Strategy::whole, {whole(1)})};
  Node slurmd = node("gpu-0", two), machine = node("m1", two);
  slurmd.host_pod = HostPod{"slurm", "w-0"};
  std::vector<DeviceShare> asked_for;
  for (int device = 0; device < of_pod; ++device) asked_for.push_back({device, 1});
  Workload pod = running("slurm/w-0", "NodeSet/w", {holds("m1", asked_for)});
  pod.kind = WorkloadKind::pod;
  pod.requests = {{"nvidia.com/gpu", of_pod}};
  pod.comment = slinky::pod_comment("gpu-0", {"IDLE"}, "");
  tell("hpc", ClusterSeen{Scheduler::slurm, false, "", ""});
  tell("prod", ClusterSeen{Scheduler::kubernetes, false, "", ""});
  tell("hpc", NodesListed{{slurmd}});
  tell("prod", NodesListed{{machine}});
  tell("hpc", WorkloadsListed{});
  tell("prod", WorkloadsListed{{pod}});
  for (const char* cluster : {"hpc", "prod"}) tell(cluster, Loaded{});
  tell("hpc", SourceReport{Source::slurm_nodes, std::nullopt, Duration(1)});
  tell("hpc", SourceReport{Source::slurm_jobs, std::nullopt, Duration(1)});
  tell("prod", SourceReport{Source::kubernetes_nodes, std::nullopt, Duration(1)});
  tell("prod", SourceReport{Source::kubernetes_pods, std::nullopt, Duration(1)});
  return model;
}

}  // namespace tessera::test
