// Nodes, GPUs and slices as values.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "backends/sim/random.hpp"
#include "backends/sim/slots.hpp"
#include "backends/sim/slurm_operator.hpp"
#include "backends/sim/snapshot.hpp"
#include "backends/sim/step.hpp"
#include "backends/sim/telemetry.hpp"
#include "engine/model/processes.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/steps/slurmd_steps.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/text.hpp"

namespace tessera::sim {
namespace {

Percent percent(float part) { return Percent{std::round(part * 100.0f)}; }

Mib part_of(std::int64_t whole, float part) {
  return Mib{static_cast<std::int64_t>(static_cast<float>(whole) * part)};
}

std::int64_t memory_of(const NodeGroup& group, const Instance& instance) {
  const mig::Profile& profile = group.mig->profiles[static_cast<std::size_t>(instance.profile)];
  if (profile.memory) return profile.memory->value;
  return std::int64_t{group.memory_mib} * profile.memory_slices / std::max(1, group.mig->units);
}

// Whose a process is that is of no job; jobs count from one.
constexpr std::uint32_t kRogue = 0, kServer = std::numeric_limits<std::uint32_t>::max();

// Builds one node; device numbers run over its slices.
class NodeTeller {
 public:
  NodeTeller(const World& world, std::uint32_t index, TimePoint at)
      : world_(world),
        index_(index),
        at_(at),
        state_(world.nodes[index]),
        group_(world.group(state_)),
        condition_(is_silent(world, index) ? Condition::down : state_.condition) {}

  Node tell() {
    Node node;
    node.name = NodeName(clean(world_.node_name(index_), 253));
    node.reason = clean(state_.reason, 1024);
    node.reason_by = clean(state_.by, 64);
    if (!state_.reason.empty()) node.reason_at = state_.since;
    for (std::size_t gpu = 0; group_.told && gpu < state_.boards.size(); ++gpu)
      node.gpus.push_back(tell_gpu(gpu));
    node.model = clean(group_.type, 64);
    node.cpus = group_.cpus;
    node.cpus_held = std::min(group_.cpus, static_cast<int>(std::ceil(cpus_held())));
    node.memory = Mib{group_.memory_gib * 1024};
    for (int partition : group_.partitions)
      node.partitions.push_back(
          clean(world_.spec().partitions[static_cast<std::size_t>(partition)].name, 64));
    for (const std::string& feature : group_.features) node.features.push_back(clean(told(feature), 64));
    tell_offer(node);
    tell_slurmd(node);
    node.driver = clean(group_.driver, 64);
    node.agent = clean(group_.agent, 64);
    node.reservation = clean(group_.reservation, 64);
    tell_host(node);
    node.booted = state_.booted;
    node.origin = {Source::simulator, world_.now};
    tell_state(node);
    return node;
  }

  // As slurm-operator would write it into the node's Comment.
  void tell_host(Node& node) const {
    const auto name = std::find(group_.names.begin(), group_.names.end(), world_.node_name(index_));
    const auto at = static_cast<std::size_t>(name - group_.names.begin());
    if (at >= group_.host_pods.size()) return;
    const std::string pod = clean(group_.host_pods[at], 320);
    const std::size_t slash = std::min(pod.find('/'), pod.size());
    if (slash + 1 < pod.size()) node.host_pod = HostPod{pod.substr(0, slash), pod.substr(slash + 1)};
  }

  // For whoever plans there (plan::kSimulatedSlurmd).
  void tell_slurmd(Node& node) const {
    const Job* pod = slurmd_of(world_, index_);
    if (!pod) return;
    const Shape& asks = wanted_by(world_, *pod);
    node.features.push_back(fmt::format("{}={} {} {}", plan::kSimulatedSlurmd,
                                        clean(workload_id(world_, *pod).text, 320),
                                        clean(asks.text.substr(0, asks.text.rfind(':')), 128), asks.count));
  }

  // As slurmctld, or a kubelet and GPU feature discovery, tell it.
  void tell_offer(Node& node) const {
    if (group_.claimed) return;
    const bool slurm = world_.spec().scheduler != Scheduler::kubernetes;
    if (!slurm || group_.told) count_offer(node);
    if (slurm) return;
    if (!group_.partition.empty() && group_.told)
      for (const auto& [label, value] : amd_labels(group_)) node.features.push_back(label + "=" + value);
    constexpr std::string_view kStrategy = "nvidia.com/mig.strategy";
    if (group_.mig && group_.ack.empty() && group_.told && !sharing::label(node, kStrategy))
      node.features.push_back(fmt::format("{}={}", kStrategy, group_.mig_single ? "single" : "mixed"));
    if (has_plugin(group_) && group_.told)
      for (const auto& [label, value] :
           plan::simulated_orders({state_.switches.renamed, state_.switches.refuses_several}))
        node.features.push_back(label + "=" + value);
  }
  void count_offer(Node& node) const {
    node.allocatable.emplace();
    for (const Board& board : state_.boards)
      each_slot(group_, state_, board, [&](const Slot& slot) {
        if (slot.resource >= 0)
          (*node.allocatable)[world_.spec().resources[static_cast<std::size_t>(slot.resource)]] +=
              slot.capacity;
        return false;
      });
  }

 private:
  // Scenarios write the labels of GPU feature discovery without their domain.
  std::string told(const std::string& feature) const {
    const bool is_label = world_.spec().scheduler == Scheduler::kubernetes &&
                          feature.find('=') != std::string::npos && feature.find('/') == std::string::npos;
    return is_label ? "nvidia.com/" + feature : feature;
  }

  Slice tell_slice(SliceKind kind, const Board& board, const std::vector<Hold>& holds, bool hidden,
                   std::int64_t memory) {
    Slice slice;
    slice.kind = kind;
    slice.device = device_++;
    slice.capacity = capacity_of(board);
    // Where processes are told, it is one of no job on a slice that is free to the scheduler.
    if (hidden && holds.empty() && !group_.processes) slice.told_held = true;
    Load load = load_of(holds, hidden, slice.capacity, world_.seed, at_);
    slice.use = percent(load.use);
    if (memory > 0) slice.memory_used = part_of(memory, load.memory);
    slice.tensor = percent(load.tensor);
    slice.memory_busy = percent(load.bus);
    slots_ += slice.capacity;
    held_ += std::min(slice.capacity, shares(holds));
    return slice;
  }

  Gpu tell_gpu(std::size_t index) {
    const Board& board = state_.boards[index];
    Gpu gpu;
    gpu.index = GpuIndex{static_cast<int>(index)};
    gpu.uuid = uuid_of(world_, index_, index);
    gpu.model = clean(group_.model, 128);
    if (const mig::Product* product = world_.scenario->catalogue->by_key(group_.product))
      gpu.product = product->key;
    if (group_.memory_mib > 0) gpu.memory = Mib{group_.memory_mib};
    if (group_.mig) gpu.mig_mode = board.mode;
    gpu.strategy = board.cut() ? Strategy::mig : board.strategy;
    if (board.replicas > 1) gpu.replicas = board.replicas;
    gpu.origin = {Source::simulator, world_.now};
    if (board.cut()) {
      for (const Instance& instance : board.instances) {
        gpu.slices.push_back(tell_instance(board, instance));
        tell_own(gpu, board, instance.holds, instance.hidden, instance.id, memory_of(group_, instance));
      }
    } else if (!group_.partition.empty()) {
      tell_partitions(gpu, board);
      cpu_share_ += held_part(board, board.holds);
    } else {
      gpu.slices.push_back(tell_slice(kind_of(board), board, board.holds, board.hidden, group_.memory_mib));
      tell_own(gpu, board, board.holds, board.hidden, std::nullopt, group_.memory_mib);
      cpu_share_ += held_part(board, board.holds);
    }
    if (group_.processes) tell_processes(gpu, board);
    tell_sensors(gpu, board, index);
    return gpu;
  }

  // What the driver tells of the processes of each of those that share: of clients of MPS, and under MIG,
  // their memory alone.
  void tell_own(Gpu& gpu, const Board& board, const std::vector<Hold>& holds, bool hidden,
                std::optional<int> instance, std::int64_t memory) const {
    if (holds.size() < 2) return;
    const bool samples = !instance && board.strategy != Strategy::mps;
    const std::vector<Load> loads = own_loads(holds, hidden, capacity_of(board), world_.seed, at_);
    if (!gpu.own) gpu.own = OwnUses{{}, {Source::simulator, at_}};
    for (std::size_t i = 0; i < holds.size(); ++i) {
      const auto job = world_.jobs.find(holds[i].job);
      if (job == world_.jobs.end()) continue;
      OwnUse own{workload_id(world_, job->second), instance, {}, {}};
      if (samples) own.use = percent(loads[i].use);
      if (memory > 0) own.memory_used = part_of(memory, loads[i].memory);
      gpu.own->list.push_back(std::move(own));
    }
  }

  // A GPU or an instance in which processes run.
  struct Opened {
    const std::vector<Hold>& holds;
    bool hidden = false;
    std::optional<int> instance;
    std::int64_t memory = 0;
  };

  // As the driver lists them and the scheduler tells whose they are: of each job there one, and the one that
  // is of none.
  void tell_processes(Gpu& gpu, const Board& board) const {
    std::vector<DriverProcess> all;
    for (const Instance& one : board.instances)
      list_processes(all, gpu, board, {one.holds, one.hidden, one.id, memory_of(group_, one)});
    if (!board.cut())
      list_processes(all, gpu, board, {board.holds, board.hidden, std::nullopt, group_.memory_mib});
    gpu.processes = GpuProcesses{in_order_of_mps(std::move(all)), {Source::simulator, at_}};
  }

  void list_processes(std::vector<DriverProcess>& all, const Gpu& gpu, const Board& board,
                      const Opened& opened) const {
    const int capacity = capacity_of(board);
    const bool mps = board.strategy == Strategy::mps;
    const auto add = [&](std::uint32_t whose, const char* name, std::optional<Load> load, WorkloadId work,
                         bool client) {
      GpuProcess one{pid_of(gpu, opened, whose), name, opened.instance, {}, std::move(work)};
      if (load && opened.memory > 0) one.memory = part_of(opened.memory, load->memory);
      all.push_back({std::move(one), client});
    };
    const std::vector<Load> loads = own_loads(opened.holds, opened.hidden, capacity, world_.seed, at_);
    for (std::size_t i = 0; i < opened.holds.size(); ++i)
      if (const auto job = world_.jobs.find(opened.holds[i].job); job != world_.jobs.end())
        add(job->first, "python3", loads[i], workload_id(world_, job->second), mps);
    const WorkloadId none{std::string(kNoWorkload)};
    if (mps && !opened.holds.empty()) add(kServer, "nvidia-cuda-mps-server", {}, none, false);
    if (opened.hidden)
      add(kRogue, "a.out", hidden_load(opened.holds, capacity, world_.seed, at_), none, false);
  }

  // The same one as long as it runs there.
  std::int64_t pid_of(const Gpu& gpu, const Opened& opened, std::uint32_t whose) const {
    const std::uint64_t chance = draw(world_.seed, static_cast<std::uint64_t>(Purpose::process), index_,
                                      gpu.index.value, opened.instance.value_or(kWholeBoard), whose);
    return between(chance, 1'000, 4'194'303);
  }

  // As what AMD's labels say is read: it is not told which partition a pod has.
  void tell_partitions(Gpu& gpu, const Board& board) {
    const int parts = capacity_of(board);
    gpu.partition_mode = group_.partition;
    gpu.strategy = parts > 1 ? Strategy::unknown : Strategy::whole;
    gpu.replicas.reset();
    Slice slice;
    if (parts > 1) slice.kind = SliceKind::gpu_instance, slice.profile = ProfileName(group_.partition);
    gpu.slices.assign(static_cast<std::size_t>(parts), slice);
    device_ += parts, slots_ += parts, held_ += std::min(parts, shares(board.holds));
  }

  Slice tell_instance(const Board& board, const Instance& instance) {
    const mig::Profile& profile = group_.mig->profiles[static_cast<std::size_t>(instance.profile)];
    Slice slice = tell_slice(SliceKind::gpu_instance, board, instance.holds, instance.hidden,
                             memory_of(group_, instance));
    slice.profile = profile.name;
    slice.placement = Placement{instance.start, profile.memory_slices};
    slice.instance_id = instance.id;
    for (const Compute& compute : instance.compute)
      slice.compute.push_back({compute.id, ProfileName(compute_name(*group_.mig, instance, compute))});
    cpu_share_ +=
        held_part(board, instance.holds) * profile.compute_slices / std::max(1, group_.mig->compute_slices);
    return slice;
  }

  void tell_sensors(Gpu& gpu, const Board& board, std::size_t index) {
    std::uint64_t key = (static_cast<std::uint64_t>(index_) << 8) + index;
    Reading reading = read_board(group_, board, world_.seed, key, at_);
    gpu.telemetry.use = percent(reading.load.use);
    if (group_.memory_mib > 0) gpu.telemetry.memory_used = part_of(group_.memory_mib, reading.load.memory);
    gpu.telemetry.tensor = percent(reading.load.tensor);
    gpu.telemetry.memory_busy = percent(reading.load.bus);
    gpu.telemetry.temperature = Celsius{std::round(reading.celsius)};
    gpu.telemetry.power = Watts{std::round(reading.watts)};
    gpu.telemetry.origin = {Source::simulator, at_};
    if (condition_ == Condition::down || condition_ == Condition::unknown) {
      gpu.telemetry = {};
      gpu.own.reset();
      gpu.processes.reset();
      for (Slice& slice : gpu.slices) {
        slice.use.reset();
        slice.memory_used.reset();
        slice.tensor.reset(), slice.memory_busy.reset();
      }
    }
  }

  static double held_part(const Board& board, const std::vector<Hold>& holds) {
    return static_cast<double>(shares(holds)) / capacity_of(board);
  }
  double cpus_held() const {
    if (state_.boards.empty()) return 0;
    return cpu_share_ * group_.cpus / static_cast<double>(state_.boards.size());
  }

  bool any_held() const {
    return std::any_of(state_.boards.begin(), state_.boards.end(), [](const Board& board) {
      return !board.holds.empty() ||
             std::any_of(board.instances.begin(), board.instances.end(),
                         [](const Instance& instance) { return !instance.holds.empty(); });
    });
  }

  void tell_state(Node& node) const {
    bool busy = any_held();
    switch (condition_) {
      case Condition::up: node.health = Health::ok; break;
      case Condition::drained: node.health = busy ? Health::draining : Health::drained; break;
      case Condition::down: node.health = Health::down; break;
      case Condition::invalid: node.health = Health::invalid; break;
      case Condition::unknown: node.health = Health::unknown; break;
    }
    node.state = world_.spec().scheduler == Scheduler::slurm ? slurm_flags(busy) : kubernetes_flags();
  }

  std::vector<std::string> slurm_flags(bool busy) const {
    std::string base = !busy ? "IDLE" : held_ >= slots_ && group_.told ? "ALLOCATED" : "MIXED";
    switch (condition_) {
      case Condition::up: return {base};
      case Condition::drained:
        if (state_.reboots) return {base, "DRAIN", "REBOOT_REQUESTED"};
        return {base, "DRAIN"};
      case Condition::down:
        if (state_.reboots) return {"DOWN", "DRAIN", "REBOOT_ISSUED"};
        return {"DOWN", "NOT_RESPONDING"};
      case Condition::invalid: return {base, "DRAIN", "INVALID_REG"};
      case Condition::unknown: return {"UNKNOWN"};
    }
    return {};
  }
  std::vector<std::string> kubernetes_flags() const {
    switch (condition_) {
      case Condition::up: return {"READY"};
      case Condition::drained: return {"READY", "SCHEDULINGDISABLED"};
      case Condition::down: return {"NOTREADY"};
      case Condition::invalid: return {"READY", "MIG-INVALID"};
      case Condition::unknown: return {"UNKNOWN"};
    }
    return {};
  }

  const World& world_;
  std::uint32_t index_;
  TimePoint at_;
  const NodeState& state_;
  const NodeGroup& group_;
  Condition condition_;
  int device_ = 0;
  int slots_ = 0;
  int held_ = 0;
  double cpu_share_ = 0;
};

}  // namespace

std::string uuid_of(const World& world, std::uint32_t node, std::size_t gpu) {
  std::uint64_t a = draw(world.seed, static_cast<std::uint64_t>(Purpose::uuid), node, gpu);
  std::uint64_t b = mix(a);
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", a >> 32, (a >> 16) & 0xFFFF, a & 0xFFFF,
                     b >> 48, b & 0xFFFFFFFFFFFF);
}

Node node_value(const World& world, std::uint32_t node, TimePoint at) {
  return NodeTeller(world, node, at).tell();
}

}  // namespace tessera::sim
