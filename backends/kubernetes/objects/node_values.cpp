#include "backends/kubernetes/objects/node_values.hpp"

#include <algorithm>
#include <array>

#include "engine/ascii.hpp"
#include "engine/operators/labels.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/text.hpp"

namespace tessera::kubernetes {
namespace {

const Condition* ready_of(const NodeObject& node) {
  auto found = std::find_if(node.conditions.begin(), node.conditions.end(),
                            [](const Condition& condition) { return condition.type == "Ready"; });
  return found == node.conditions.end() ? nullptr : &*found;
}

// As kubectl prints them, in upper case: READY, NOTREADY, UNKNOWN, SCHEDULINGDISABLED, and what presses.
std::vector<std::string> states_of(const NodeObject& node) {
  std::vector<std::string> states;
  const Condition* ready = ready_of(node);
  states.push_back(!ready || ready->status == "Unknown" ? "UNKNOWN"
                   : ready->status == "True"            ? "READY"
                                                        : "NOTREADY");
  if (node.unschedulable) states.push_back("SCHEDULINGDISABLED");
  for (const Condition& condition : node.conditions)
    if (condition.type != "Ready" && condition.status == "True") states.push_back(upper(condition.type));
  return states;
}

const Taint* closing_taint(const NodeObject& node) {
  for (const Taint& taint : node.taints)
    if (taint.key == kCordonTaint) return &taint;
  return nullptr;
}

// "team=x:NoExecute"; a cordon is told as such.
std::vector<std::string> taints_of(const NodeObject& node) {
  std::vector<std::string> taints;
  for (const Taint& taint : node.taints)
    if (taint.key != kCordonTaint) taints.push_back(taint_text(taint));
  return taints;
}

void set_health(Node& node, const NodeObject& object, bool invalid, std::optional<bool> busy) {
  const Condition* ready = ready_of(object);
  if (!ready) return;
  auto because = [&](const Condition& condition) {
    node.reason = condition.reason;
    if (!condition.message.empty()) node.reason += (node.reason.empty() ? "" : ": ") + condition.message;
    node.reason_at = condition.since;
  };
  if (ready->status != "True") {
    node.health = Health::down;
    return because(*ready);
  }
  if (invalid) {
    node.health = Health::invalid;
    node.reason = "the MIG strategy single does not fit its GPUs: nothing is offered";
    return;
  }
  if (!object.unschedulable) {
    node.health = Health::ok;
    return;
  }
  node.health = busy.value_or(true) ? Health::draining : Health::drained;  // never empty by guess
  node.reason = kCordoned;  // exactly this: a plan that opens the node asks for the same reason again
  // A run of tessera says so where it cordons.
  if (auto closing = object.meta.annotations.find(operators::kClosing);
      closing != object.meta.annotations.end() && !closing->second.empty())
    node.reason = clean(std::string(closing->second), 1024);
  if (const Taint* taint = closing_taint(object)) node.reason_at = taint->since;
}

std::string driver_of(const NodeObject& node) {
  std::string full(node.label("nvidia.com/cuda.driver-version.full"));
  if (!full.empty()) return full;
  if (std::string_view amd = node.label("amd.com/gpu.driver-version"); !amd.empty()) return std::string(amd);
  for (std::string_view part : {"major", "minor", "rev"}) {
    std::string_view value = node.label("nvidia.com/cuda.driver." + std::string(part));
    if (value.empty()) break;
    full += (full.empty() ? "" : ".") + std::string(value);
  }
  return full;
}

SliceKind kind_of(Strategy method) {
  switch (method) {
    case Strategy::time_slicing: return SliceKind::time_slice;
    case Strategy::mps: return SliceKind::mps;
    case Strategy::shard: return SliceKind::shard;
    default: return SliceKind::whole_gpu;
  }
}

Gpu board(int index, const NodeSharing& sharing, Origin origin) {
  Gpu gpu;
  gpu.index = GpuIndex{index};
  gpu.model = sharing.model;
  if (sharing.product) gpu.product = sharing.product->key;
  if (sharing.replicas > 1) gpu.replicas = sharing.replicas;
  gpu.origin = origin;
  return gpu;
}

Slice instance(const ProfileName& profile, const NodeSharing& sharing) {
  Slice slice;
  slice.kind = SliceKind::gpu_instance;
  slice.profile = profile;
  slice.capacity = sharing.replicas;
  return slice;
}

// The GPUs are cut alike: how many there are, and so what stands on each.
std::optional<int> boards_cut_alike(const NodeObject& node, const NodeSharing& sharing) {
  if (sharing.instances.empty() || sharing.whole > 0 || !sharing.product) return std::nullopt;
  std::string_view order = node.label("nvidia.com/mig.config");
  bool made = node.label("nvidia.com/mig.config.state") == "success" && order.starts_with("all-");
  if (sharing.boards && *sharing.boards > 0) {
    if (*sharing.boards > 1 && !made) return std::nullopt;
    bool even = std::all_of(sharing.instances.begin(), sharing.instances.end(),
                            [&](const auto& entry) { return entry.second % *sharing.boards == 0; });
    return even ? sharing.boards : std::nullopt;
  }
  // The strategy single counts instances only. "all-<profile>" makes as many as fit on each GPU.
  if (!made || sharing.instances.size() != 1) return std::nullopt;
  const auto& [profile, count] = *sharing.instances.begin();
  const mig::Profile* known = sharing.product->find(profile.view());
  if (!known || known->max < 1 || order.substr(4) != sharing::kubernetes_spelling(profile))
    return std::nullopt;
  return count % known->max == 0 ? std::optional(count / known->max) : std::nullopt;
}

void add_cut_boards(Node& node, const NodeObject& object, const NodeSharing& sharing, Origin origin) {
  auto alike = boards_cut_alike(object, sharing);
  if (!alike) {
    for (const auto& [profile, count] : sharing.instances)
      for (int i = 0; i < count; ++i) node.pool.push_back(instance(profile, sharing));
    return;
  }
  if (*alike > 1) origin.source = Source::inferred;
  for (int index = 0; index < *alike; ++index) {
    Gpu gpu = board(index, sharing, origin);
    gpu.strategy = Strategy::mig;
    gpu.mig_mode = MigMode::enabled;
    for (const auto& [profile, count] : sharing.instances)
      for (int i = 0; i < count / *alike; ++i) gpu.slices.push_back(instance(profile, sharing));
    node.gpus.push_back(std::move(gpu));
  }
}

void add_whole_boards(Node& node, const NodeSharing& sharing, Origin origin) {
  Slice slice;
  slice.kind = kind_of(sharing.method);
  slice.capacity = sharing.replicas;
  // Beside GPUs that are cut, it is not reported which these are.
  if (!sharing.instances.empty()) {
    node.pool.insert(node.pool.end(), static_cast<std::size_t>(sharing.whole), slice);
    return;
  }
  bool capable = sharing.product && sharing.product->mig_capable;
  for (int index = 0; index < sharing.whole; ++index) {
    Gpu gpu = board(index, sharing, origin);
    gpu.strategy = sharing.method;
    gpu.memory = sharing.memory;
    // A GPU without instances is handed out whole by the strategies single and mixed only with MIG off.
    if (capable && sharing.mig_strategy != sharing::MigStrategy::none) gpu.mig_mode = MigMode::disabled;
    gpu.slices.push_back(slice);
    node.gpus.push_back(std::move(gpu));
  }
}

// GPUs that virtual machines share are divided alike, all into one type.
void add_vgpus(Node& node, const NodeSharing& sharing) {
  int boards = static_cast<int>(node.gpus.size());
  if (sharing.vgpus.size() == 1 && boards > 0 && node.pool.empty()) {
    const auto& [type, count] = *sharing.vgpus.begin();
    Slice slice;
    slice.kind = SliceKind::vgpu;
    slice.profile = ProfileName(type);
    if (count > 0 && count % boards == 0) {
      for (Gpu& gpu : node.gpus) {
        gpu.strategy = Strategy::vgpu;
        gpu.slices.assign(static_cast<std::size_t>(count / boards), slice);
      }
      return;
    }
  }
  for (const auto& [type, count] : sharing.vgpus) {
    Slice slice;
    slice.kind = SliceKind::vgpu;
    slice.profile = ProfileName(type);
    node.pool.insert(node.pool.end(), static_cast<std::size_t>(count), slice);
  }
}

bool worth_showing(std::string_view key, std::string_view value) {
  constexpr std::array kGpu = {
      std::string_view("gpu.product"),
      std::string_view("gpu.count"),
      std::string_view("gpu.replicas"),
      std::string_view("gpu.memory"),
      std::string_view("gpu.family"),
      std::string_view("gpu.machine"),
      std::string_view("gpu.clique"),
      std::string_view("gpu.sharing-strategy"),
      std::string_view("mig.strategy"),
      std::string_view("mig.capable"),
      std::string_view("mig.config"),
      std::string_view("mig.config.state"),
      std::string_view("mps.capable"),
      std::string_view("device-plugin.config"),
      std::string_view("vgpu.present"),
      std::string_view("vgpu.config"),
      std::string_view("vgpu.config.state"),
      std::string_view("gpu.workload.config"),
      std::string_view("gpu-driver-upgrade-state"),
      std::string_view("vgpu.host-driver-version"),
  };
  constexpr std::string_view kVendor = "nvidia.com/";
  if (key.starts_with("beta.amd.com/")) return false;        // those without beta say it
  if (key.starts_with("aliyun.accelerator/")) return false;  // the GPUs say it
  // Kept for the selectors of pods; the first is the node's name, the second the same everywhere.
  if (key == "kubernetes.io/hostname" || key == "kubernetes.io/os") return false;
  if (!key.starts_with(kVendor)) return true;
  key.remove_prefix(kVendor.size());
  if (key.starts_with("gpu.deploy.")) return value != "true";
  return std::find(kGpu.begin(), kGpu.end(), key) != kGpu.end();
}

// What feature discovery's labels are expected to lead to is worked out elsewhere; this is what is so.
std::map<std::string, std::int64_t> gpus_in(const Counts& allocatable) {
  std::map<std::string, std::int64_t> found;
  for (const auto& [resource, count] : allocatable)
    if (count > 0 && sharing::hands_out_gpus(resource)) found.emplace(resource, count);
  return found;
}

std::string pool_of(const NodeObject& node) {
  for (std::string_view key :
       {"cloud.google.com/gke-nodepool", "eks.amazonaws.com/nodegroup", "kubernetes.azure.com/agentpool",
        "agentpool", "alibabacloud.com/nodepool-id"}) {
    std::string_view value = node.label(key);
    if (!value.empty()) return std::string(value);
  }
  return {};
}

}  // namespace

LayoutOrder order_of(const NodeObject& object, std::string config, std::string state,
                     std::optional<TimePoint> since) {
  const LabelWrite* write = object.written.of(operators::kMigConfig);
  return {std::move(config), std::move(state), since, write ? write->by : "",
          write ? write->written : std::nullopt};
}

std::vector<std::string> features_of(const NodeObject& object) {
  std::vector<std::string> features;
  for (const auto& [key, value] : object.meta.labels)
    if (worth_showing(key, value)) features.push_back(key.str() + "=" + value.str());
  return features;
}

namespace {

constexpr std::int64_t kMib = 1024 * 1024;

// What pods are given, without what is kept for the system; where that is not told, all that it has.
void set_machine(Node& node, const NodeObject& object) {
  const auto cpus =
      object.allocatable_millis ? std::optional(*object.allocatable_millis / 1000) : object.cpus;
  if (cpus) node.cpus = static_cast<int>(std::min<std::int64_t>(*cpus, 1 << 20));
  node.memory = object.allocatable_bytes ? Mib{*object.allocatable_bytes / kMib} : object.memory;
}

// Of the `shown` units those that are requested at the least; what is left of `all` is rounded down.
std::int64_t held_of(std::int64_t shown, std::int64_t all, std::int64_t requested, std::int64_t unit) {
  const std::int64_t left = std::max<std::int64_t>(0, all - requested) / unit;
  return std::max<std::int64_t>(0, shown - left);
}

}  // namespace

void set_requested(Node& node, const NodeObject& object, const Compute& requested) {
  if (node.cpus && object.allocatable_millis)
    node.cpus_held =
        static_cast<int>(held_of(*node.cpus, *object.allocatable_millis, requested.millis, 1000));
  if (node.memory && object.allocatable_bytes)
    node.memory_held = Mib{held_of(node.memory->value, *object.allocatable_bytes, requested.bytes, kMib)};
}

Node node_of(const NodeObject& object, const NodeSharing& sharing, std::optional<bool> busy, Origin origin) {
  Node node;
  node.name = NodeName(object.meta.name);
  node.state = states_of(object);
  node.origin = origin;
  set_health(node, object, sharing.invalid, busy);
  node.model = sharing.model;
  set_machine(node, object);
  node.driver = driver_of(object);
  node.agent = object.kubelet.empty() ? "" : "kubelet " + object.kubelet;
  node.features = features_of(object);
  node.taints = taints_of(object);
  node.allocatable = gpus_in(object.allocatable);
  if (std::string pool = pool_of(object); !pool.empty()) node.partitions.push_back(std::move(pool));
  if (std::string_view config = object.label(operators::kMigConfig); !config.empty())
    node.order = order_of(object, std::string(config), std::string(object.label(operators::kMigState)), {});
  // In one order, however the server lists the writers.
  for (const std::string_view label :
       {operators::kPluginConfig, operators::kVgpuConfig, operators::kWorkload})
    if (const LabelWrite* write = object.written.of(label); write && !object.label(label).empty())
      node.writes.push_back(*write);
  add_cut_boards(node, object, sharing, origin);
  add_whole_boards(node, sharing, origin);
  add_vgpus(node, sharing);
  if (sharing.amd) add_amd_boards(node, *sharing.amd, origin);
  return node;
}

}  // namespace tessera::kubernetes
