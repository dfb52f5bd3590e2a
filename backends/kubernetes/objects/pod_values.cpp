#include "backends/kubernetes/objects/pod_values.hpp"

#include <algorithm>

#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/slurmd_pod.hpp"
#include "engine/model/bridged.hpp"
#include "engine/model/slinky.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::kubernetes {
namespace {

// A person where an annotation says so, else the controller that made it.
std::string user_of(const PodObject& pod) {
  for (const Texts* texts : {&pod.meta.annotations, &pod.meta.labels})
    for (std::string_view key : {"hub.jupyter.org/username", "user", "owner"})
      if (auto found = texts->find(key); found != texts->end() && !found->second.empty())
        return found->second.str();
  if (pod.meta.owner_kind.empty()) return {};
  return pod.meta.owner_kind + "/" + pod.meta.owner_name;
}

Family family_of(const sharing::ResourceName& name, const NodeSharing& on) {
  if (name.kind == sharing::ResourceKind::vgpu) return Family::vgpu;
  if (name.kind == sharing::ResourceKind::gpu_memory)
    return on.method == Strategy::mps ? Family::mps : Family::shard;
  if (name.kind != sharing::ResourceKind::gpu) return Family::gpu;
  if (on.whole == 0) return Family::gpu;  // instances, replicated or not
  if (on.method == Strategy::mps) return Family::mps;
  return on.method == Strategy::time_slicing || on.method == Strategy::shard ? Family::shard : Family::gpu;
}

// The type by which the model finds the slices that are meant. "nvidia.com/gpu" means an instance only with
// the strategy single; beside instances it must not match any of them, so it carries the GPU's name.
std::string type_of(const sharing::ResourceName& name, const NodeSharing& on) {
  if (name.kind == sharing::ResourceKind::vgpu) return name.type;
  if (name.profile) return name.profile->text;
  bool single = on.mig_strategy == sharing::MigStrategy::single;
  if (name.kind != sharing::ResourceKind::gpu || on.instances.empty() || single) return {};
  return on.model.empty() ? "gpu" : on.model;
}

// HAMi's memory is no count of shares: to a pod that asks for it alone HAMi gives a share of one GPU
// (nvidia.defaultGPUNum, docs/config.md of Project-HAMi). ACK's shares are GiB.
std::int64_t units_of(std::string_view resource, const sharing::ResourceName& name, std::int64_t count) {
  const bool memory = name.kind == sharing::ResourceKind::gpu_memory;
  return memory && resource != sharing::ack::kMemory ? std::min<std::int64_t>(count, 1) : count;
}

int small(std::int64_t count) { return static_cast<int>(std::clamp<std::int64_t>(count, 0, 1 << 20)); }

}  // namespace

bool is_by_claim(const PodObject& pod, std::string_view resource) {
  return std::find(pod.by_claim.begin(), pod.by_claim.end(), resource) != pod.by_claim.end();
}

namespace {

std::vector<Allocation> allocations_of(const PodObject& pod, const NodeSharing* on) {
  std::vector<Allocation> all;
  if (pod.node.empty() || has_ended(pod)) return all;
  const NodeSharing unknown;
  const NodeSharing& shared = on ? *on : unknown;
  for (const auto& [resource, count] : pod.requests) {
    if (is_by_claim(pod, resource)) continue;
    if (auto type = amd_type(resource, shared.amd ? &*shared.amd : nullptr)) {
      if (on && !shared.amd) continue;  // of a node whose GPUs are shown as NVIDIA's
      all.push_back({NodeName(pod.node), Family::gpu, std::move(*type), small(count), {}});
      continue;
    }
    auto name = sharing::parse_resource(resource, Scheduler::kubernetes);
    // Percentages and cores go with the GPU or the memory that is asked for beside them.
    if (!name || name->kind == sharing::ResourceKind::other_gpu) continue;
    bool of_gpu = name->kind == sharing::ResourceKind::gpu_memory && pod.requests.contains("nvidia.com/gpu");
    if (of_gpu) continue;
    all.push_back({NodeName(pod.node),
                   family_of(*name, shared),
                   type_of(*name, shared),
                   small(units_of(resource.str(), *name, count)),
                   {}});
  }
  if (all.empty()) all.push_back({NodeName(pod.node), Family::gpu, "", 0, {}});  // it reaches them unasked
  return all;
}

void set_state(Workload& workload, const PodObject& pod) {
  workload.state_word = pod.phase.empty() ? "Unknown" : pod.phase;
  if (pod.phase == "Running") workload.state = WorkloadState::running;
  if (pod.phase == "Pending") workload.state = WorkloadState::pending;
  if (has_ended(pod)) workload.state = WorkloadState::ended;
  if (pod.meta.deleted) {
    workload.state = WorkloadState::completing;
    workload.state_word = "Terminating";
  }
  if (!pod.unschedulable.empty() && pod.node.empty()) {
    workload.reason = pod.unschedulable;
    return;
  }
  workload.reason = pod.reason;
  if (!pod.message.empty()) workload.reason += (workload.reason.empty() ? "" : ": ") + pod.message;
}

// A CDI device that an annotation asks the container runtime for; empty: none does.
std::string injected(const PodObject& pod) {
  for (const auto& [key, value] : pod.meta.annotations)
    if (key.starts_with("cdi.k8s.io/") && value.str().find("nvidia.com/") != std::string::npos)
      return "annotation " + key.str() + ": " + value.str();
  return {};
}

// Of the GPU operator's own DaemonSets, those that have no name of their own here.
bool is_operand(const PodObject& pod) {
  return pod.meta.owner_kind == "DaemonSet" && (pod.label("app.kubernetes.io/managed-by") == "gpu-operator" ||
                                                pod.label("app.kubernetes.io/part-of") == "nvidia-gpu");
}

// What it asks of a node beside GPUs, while it waits for one. In whole CPUs and MiB, rounded down as what a
// node has left is: a node that is short of that is short of it for certain.
std::optional<NodeNeeds> needs_of(const PodObject& pod) {
  constexpr std::int64_t kMib = 1024 * 1024;
  const std::int64_t cpus = std::min<std::int64_t>(pod.compute.millis / 1000, 1 << 24);
  const std::int64_t memory = pod.compute.bytes / kMib;
  if (!pod.node.empty() || (cpus <= 0 && memory <= 0)) return std::nullopt;
  NodeNeeds needs;
  if (cpus > 0) needs.cpus = static_cast<int>(cpus);
  if (memory > 0) needs.memory = Mib{memory};
  return needs;
}

}  // namespace

bool has_ended(const PodObject& pod) { return pod.phase == "Succeeded" || pod.phase == "Failed"; }

std::vector<OutOfUse> out_of_use(const NodeObject& node, const NodeSharing& sharing) {
  std::vector<OutOfUse> all;
  for (const auto& [resource, count] : node.capacity) {
    auto name = sharing::parse_resource(resource, Scheduler::kubernetes);
    auto usable = node.allocatable.find(resource);
    if (!name || usable == node.allocatable.end() || usable->second >= count) continue;
    if (auto type = amd_type(resource, sharing.amd ? &*sharing.amd : nullptr)) {
      if (!sharing.amd) continue;
      all.push_back({Family::gpu, std::move(*type), small(count - usable->second)});
      continue;
    }
    const bool by_slice = name->kind == sharing::ResourceKind::gpu ||
                          name->kind == sharing::ResourceKind::instance ||
                          name->kind == sharing::ResourceKind::vgpu;
    if (!by_slice || sharing.by_memory) continue;
    const std::int64_t each = name->kind == sharing::ResourceKind::vgpu ? 1 : std::max(1, sharing.replicas);
    all.push_back({family_of(*name, sharing), type_of(*name, sharing),
                   small((count - usable->second + each - 1) / each)});
  }
  return all;
}

bool stays_with_node(const PodObject& pod) {
  return pod.meta.owner_kind == "DaemonSet" || pod.meta.owner_kind == "Node";
}

std::string unasked_way(const PodObject& pod) {
  if (!pod.requests.empty() || !pod.claims.empty()) return {};
  if (!pod.visible_devices.empty()) return "NVIDIA_VISIBLE_DEVICES=" + pod.visible_devices;
  if (std::string devices = injected(pod); !devices.empty()) return devices;
  // Every network and storage agent is privileged and mounts /dev; a pod of a person's own is what matters.
  const bool agent = stays_with_node(pod);
  const bool devices = pod.gpu_paths || (pod.host_devices && !agent);
  if (devices && pod.privileged) return "privileged, with its node's devices";
  if (devices) return "mounts its node's devices";
  // CUDA images carry NVIDIA_VISIBLE_DEVICES=all themselves, which that runtime follows.
  const bool runtime = pod.runtime_class == "nvidia" || pod.runtime_class.starts_with("nvidia-");
  if (runtime && !pod.devices_off) return "runtimeClassName " + pod.runtime_class;
  if (pod.privileged && !agent) return "privileged";
  return {};
}

bool is_gpu_work(const PodObject& pod, bool on_gpu_node) {
  if (has_ended(pod)) return false;
  // The GPU operator's validators ask for a GPU to prove that there is one.
  if (pod.label("app") == "nvidia-cuda-validator" || pod.label("app") == "nvidia-device-plugin-validator")
    return false;
  if (!pod.requests.empty()) return true;  // whatever it is called
  // Slurm's jobs in it reach what its node has, whatever it asked for.
  if (!slurm_node_of(pod).empty()) return on_gpu_node;
  if (!on_gpu_node || !component_of(pod).empty() || is_operand(pod)) return false;
  bool of_the_node = pod.meta.owner_kind == "Node" || pod.meta.name_space == "kube-system";
  return !of_the_node && !unasked_way(pod).empty();
}

Workload workload_of(const PodObject& pod, const NodeSharing* on, Origin origin) {
  Workload workload;
  workload.id = WorkloadId(pod.id());
  workload.kind = WorkloadKind::pod;
  workload.name = pod.meta.name;
  workload.user = user_of(pod);
  workload.group = pod.meta.name_space;
  set_state(workload, pod);
  for (const auto& [resource, count] : pod.requests) {
    auto largest = pod.largest.find(resource);
    const std::int64_t most = largest == pod.largest.end() ? count : largest->second;
    workload.requests.push_back({resource.str(), count, most == count ? 0 : most});
  }
  workload.allocations = allocations_of(pod, on);
  if (workload.state == WorkloadState::pending) workload.needs = needs_of(pod);
  workload.node_count = 1;
  workload.submitted = pod.meta.created;
  workload.started = pod.started;
  workload.limit = pod.deadline;
  workload.priority = pod.priority;
  if (pod.started && pod.deadline) workload.ends = *pod.started + *pod.deadline;
  const std::string& owner = pod.meta.owner_kind;
  workload.restartable = !owner.empty() && owner != "Node";
  workload.stays = stays_with_node(pod);
  // A pod that runs slurmd is no job of Slurm's, whatever label was put on it.
  if (const std::string node = slurm_node_of(pod); !node.empty())
    workload.comment = slinky::pod_comment(node, pod.slurm_states, pod.slurm_reason);
  else if (const std::string placed = slinky::placed_comment(pod.label(slinky::kJobLabel)); !placed.empty())
    workload.comment = placed + (workload.comment.empty() ? "" : "; ") + workload.comment;
  if (!pod.priority_class.empty())
    workload.comment += (workload.comment.empty() ? "priority " : "; priority ") + pod.priority_class;
  workload.unasked = unasked_way(pod);
  if (!pod.requests.empty()) workload.pod = PodUse{pod.gpu_container, pod.gpu_processes, pod.host_ipc};
  workload.origin = origin;
  return workload;
}

}  // namespace tessera::kubernetes
