#include "engine/model/elsewhere.hpp"

#include <algorithm>
#include <map>

#include "engine/model/bridged.hpp"
#include "engine/model/bridged_nodes.hpp"
#include "engine/model/family.hpp"

namespace tessera::slinky {
namespace {

constexpr Family kFamilies[] = {Family::gpu, Family::mps, Family::shard, Family::vgpu};

int units_of(const Allocation& one) {
  return one.count > 0 ? one.count : static_cast<int>(one.devices.size());
}

std::vector<OutOfUse> holds_on(const Workload& work, const NodeName& node) {
  std::vector<OutOfUse> all;
  for (const Allocation& one : work.allocations)
    if (one.node == node && units_of(one) > 0) all.push_back({one.family, one.type, units_of(one)});
  return all;
}
int units_on(const Workload& work, const NodeName& node) {
  int units = 0;
  for (const OutOfUse& one : holds_on(work, node)) units += one.count;
  return units;
}

template <class Look>
void each_slice(const Node& node, Look look) {
  for (const Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
  std::for_each(node.pool.begin(), node.pool.end(), look);
}

// Whether the words of the other side name slices of this node.
bool names_some(const OutOfUse& held, const Node& node) {
  bool some = false;
  each_slice(node, [&](const Slice& slice) {
    const bool of_type = slice.profile.empty() || held.type.empty() || held.type == slice.profile.text ||
                         held.type.ends_with("_" + slice.profile.text) ||
                         held.type.ends_with("mig-" + slice.profile.text);
    some = some || (in_family(slice, held.family) && of_type);
  });
  return some;
}

// At most `most` in all. Where one side shares a GPU that the other hands out whole, it may be any.
std::vector<OutOfUse> in_words_of(const Node& node, const std::vector<OutOfUse>& held, int most) {
  std::vector<OutOfUse> all;
  for (OutOfUse one : held) {
    one.count = std::min(one.count, most);
    most -= one.count;
    if (one.count == 0) continue;
    if (names_some(one, node))
      all.push_back(one);
    else
      for (const Family family : kFamilies) all.push_back({family, "", one.count});
  }
  return all;
}

// So much of the last of them is told by the other side itself.
void take_off(std::vector<OutOfUse>& held, int units) {
  while (units > 0 && !held.empty()) {
    const int some = std::min(units, held.back().count);
    held.back().count -= some;
    units -= some;
    if (held.back().count == 0) held.pop_back();
  }
}

int units_of_pods(const Workload& job, const Side& kubernetes) {
  int units = 0;
  for (const WorkloadId& id : pods_of(job))
    if (const Workload* pod = kubernetes.cluster->workloads.find(id))
      units += units_on(*pod, kubernetes.node->name);
  return units;
}

// The job of the pod, if it is told by its pods.
const Workload* job_of(const Model& model, const Machine& machine, const Workload& pod) {
  const std::optional<WorkloadId> id = placing_job(pod);
  const Workload* job = id ? machine.slurm->workloads.find(*id) : nullptr;
  return job && is_told_by_pods(model, *machine.slurm, *job) ? job : nullptr;
}

void append(std::vector<OutOfUse>& all, std::vector<OutOfUse> more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

}  // namespace

std::vector<Machine> machines(const Model& model) {
  std::vector<Machine> all;
  if (!may_join(model)) return all;
  const BridgedNodes bridged(model);
  for (const Cluster& cluster : model.clusters) {
    if (cluster.scheduler != Scheduler::slurm) continue;
    for (const Node& node : cluster.nodes.all()) {
      const Side* side = bridged.of(node);
      const Side found = side ? *side : kubernetes_side(model, node).side;
      if (found.node) all.push_back({&cluster, &node, found});
    }
  }
  return all;
}

int lent(const Machine& machine) {
  const auto& [cluster, node, pod] = machine.kubernetes;
  if (!pod || node->counts.shares > 0) return 0;
  const int asked = units_on(*pod, node->name);
  const SliceCounts& slurm = machine.slurm_node->counts;
  return slurm.shares > 0 ? asked : std::min(asked, slurm.all);
}

int contested(const Machine& machine) {
  const SliceCounts& slurm = machine.slurm_node->counts;
  const int some = lent(machine);
  return slurm.shares > 0 && some > 0 ? 0 : slurm.all - some;
}

std::vector<OutOfUse> held_by_kubernetes(const Model& model, const Machine& machine) {
  const auto& [cluster, node, slurmd] = machine.kubernetes;
  const int most = contested(machine);
  if (most == 0) return {};
  std::vector<OutOfUse> held;
  std::map<WorkloadId, std::vector<OutOfUse>> of_jobs;
  for (const WorkloadId& id : node->workloads) {
    const Workload* pod = cluster->workloads.find(id);
    if (!pod || pod == slurmd) continue;
    const Workload* job = job_of(model, machine, *pod);
    append(job ? of_jobs[job->id] : held, holds_on(*pod, node->name));
  }
  for (auto& [job, pods] : of_jobs) {
    take_off(pods, units_on(*machine.slurm->workloads.find(job), machine.slurm_node->name));
    append(held, std::move(pods));
  }
  return in_words_of(*machine.slurm_node, held, most);
}

std::vector<OutOfUse> held_by_slurm(const Model& model, const Machine& machine) {
  const Node& node = *machine.slurm_node;
  const int most = contested(machine);
  if (most == 0) return {};
  std::vector<OutOfUse> held;
  for (const WorkloadId& id : node.workloads) {
    const Workload* job = machine.slurm->workloads.find(id);
    if (!job) continue;
    std::vector<OutOfUse> here = holds_on(*job, node.name);
    if (is_told_by_pods(model, *machine.slurm, *job)) take_off(here, units_of_pods(*job, machine.kubernetes));
    append(held, std::move(here));
  }
  // By a job that is hidden from us.
  each_slice(node, [&](const Slice& slice) {
    if (slice.told_held != true || !slice.holders.empty()) return;
    for (const Family family : kFamilies)
      if (in_family(slice, family)) held.push_back({family, slice.profile.text, 1});
  });
  return in_words_of(*machine.kubernetes.node, held, most);
}

}  // namespace tessera::slinky
