// Machines that are a Slurm and a Kubernetes node, in any state, for properties that must hold in all of
// them.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "engine/model/bridged.hpp"
#include "engine/model/slinky.hpp"
#include "tests/support/build.hpp"

namespace tessera::test {

inline Workload pod_named(const std::string& name, std::vector<Allocation> allocations, int job = 0) {
  Workload pod = running("team/" + name, "team", std::move(allocations));
  pod.kind = WorkloadKind::pod;
  if (job > 0) pod.comment = slinky::placed_comment(std::to_string(job));
  return pod;
}
inline Workload job_for(int number, const std::vector<std::string>& pods,
                        std::vector<Allocation> allocations) {
  Workload job = running(std::to_string(number), "alice", std::move(allocations));
  std::vector<WorkloadId> ids;
  for (const std::string& pod : pods) ids.emplace_back("team/" + pod);
  job.comment = slinky::bridged_comment(ids, "");
  return job;
}

// Machines of slurm-bridge and of slurm-operator, on which pods, jobs, and both at once hold GPUs that are
// told by number or by count: what is really free is known here.
class RandomMachines {
 public:
  explicit RandomMachines(unsigned seed) : random_(seed) {
    for (int i = 0, count = 1 + pick(4); i < count; ++i) add_machine(i);
    tell("prod", Scheduler::kubernetes, machines_, pods_);
    tell("hpc", Scheduler::slurm, slurm_nodes_, jobs_);
  }
  Model model;
  int gpus = 0, free = 0;

 private:
  int pick(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  static std::vector<Gpu> boards(int count) {
    std::vector<Gpu> all;
    for (int i = 0; i < count; ++i) all.push_back(gpu(i, Strategy::whole, {whole(i)}));
    return all;
  }
  Allocation held(const std::string& name, int device) {
    return pick(2) ? holds(name, {{device, 1}}) : holds_some(name, "", 1);
  }
  void add_machine(int number) {
    const int count = 1 + pick(4);
    const std::string slurm = "g" + std::to_string(number), own = "m" + std::to_string(number);
    Node machine = node(own, boards(count)), slurm_node = node(slurm, boards(count));
    const bool lends = pick(2);
    if (lends) {
      slurm_node.host_pod = HostPod{"slurm", "w" + std::to_string(number)};
      Workload slurmd = running("slurm/w" + std::to_string(number), "NodeSet/w", {});
      slurmd.kind = WorkloadKind::pod;
      slurmd.comment = slinky::pod_comment(slurm, {"IDLE"}, "");
      slurmd.allocations = {holds_some(own, "", count)};
      pods_.push_back(slurmd);
    } else {
      machine.taints = {"slinky.slurm.net/managed-node=x:NoExecute"};
      machine.features = {"slinky.slurm.net/slurm-nodename=" + slurm};
    }
    for (int i = 0; i < count; ++i) {
      const int id = 100 * number + i + 1;
      const std::string pod = "p" + std::to_string(id);
      const int who = pick(lends ? 2 : 5);
      free += who == 0;
      if (who == 1) jobs_.push_back(running(std::to_string(id), "alice", {held(slurm, i)}));
      if (who == 2) pods_.push_back(pod_named(pod, {held(own, i)}));
      if (who < 3) continue;
      jobs_.push_back(job_for(id, {pod}, {held(slurm, i)}));
      std::vector<Allocation> bound;
      if (who == 4) bound.push_back(held(own, i));
      pods_.push_back(pod_named(pod, bound, id));
    }
    gpus += count;
    machines_.push_back(machine);
    slurm_nodes_.push_back(slurm_node);
  }
  void tell(const char* name, Scheduler scheduler, const std::vector<Node>& nodes,
            const std::vector<Workload>& work) {
    const auto post = [&](auto what) { reduce(model, Event{ClusterName(name), 0, at(0), std::move(what)}); };
    ClusterSeen seen;
    seen.scheduler = scheduler;
    post(seen);
    post(NodesListed{nodes});
    post(WorkloadsListed{work});
    post(Loaded{});
  }

  std::mt19937 random_;
  std::vector<Node> machines_, slurm_nodes_;
  std::vector<Workload> pods_, jobs_;
};

}  // namespace tessera::test
