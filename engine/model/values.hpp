// What a cluster is made of: nodes, GPUs, slices, workloads.
//
// Plain values. Unknown is std::nullopt, never 0 and never an empty guess. Each group of facts that
// arrives together carries an Origin: who told it and when. The slice is the row: a whole GPU that is
// not cut is one slice of kind whole_gpu, so that "who holds what" has one shape everywhere.
// Threads: plain values; the UI thread owns the model (see model.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/boxed.hpp"
#include "engine/model/sources.hpp"
#include "engine/model/units.hpp"

namespace tessera {

struct Origin {
  Source source = Source::none;
  TimePoint at{};
  friend bool operator==(const Origin&, const Origin&) = default;
};

enum class Scheduler : std::uint8_t { slurm, kubernetes };

// How a GPU is shared. whole: one client gets all of it.
enum class Strategy : std::uint8_t { unknown, whole, mig, mps, time_slicing, shard, vgpu };

enum class MigMode : std::uint8_t { disabled, enabled, enable_pending, disable_pending };

// A GPU instance's place on its GPU, in the product's placement units (`{starts}:size` of
// `nvidia-smi mig -lgipp`).
struct Placement {
  int start = 0;
  int size = 0;
  friend auto operator<=>(const Placement&, const Placement&) = default;
};

struct ComputeInstance {
  int id = 0;
  ProfileName profile;  // "1c.3g.40gb"; a full-width one is named like its GPU instance
  friend bool operator==(const ComputeInstance&, const ComputeInstance&) = default;
};

enum class SliceKind : std::uint8_t { whole_gpu, gpu_instance, mps, time_slice, shard, vgpu };

enum class Holding : std::uint8_t { unknown, free, held };

// One workload's hold on one slice. share counts in the slice's capacity units
// (MPS percent, shards, replicas; 1 for an exclusive slice).
struct Holder {
  WorkloadId workload;
  int share = 1;
  friend bool operator==(const Holder&, const Holder&) = default;
};

struct Slice {
  SliceKind kind = SliceKind::whole_gpu;
  ProfileName profile;                 // gpu_instance: "3g.40gb"; vgpu: "A10-4Q"; else empty
  std::optional<Placement> placement;  // gpu_instance only; Slurm does not tell it
  std::optional<int> instance_id;      // GPU instance id as nvidia-smi prints it
  std::string uuid;                    // "MIG-..." of its first compute instance; empty: not told
  std::optional<int> device;           // the index by which the scheduler calls this slice on its node
  int capacity = 1;                    // shares that can be handed out: replicas, 100 (MPS percent), shards
  std::vector<ComputeInstance> compute;

  // The scheduler's own word on whether it is in use, where it tells (Slurm GresUsed). Counts more than
  // our view of the workloads, of which some may be hidden from us.
  std::optional<bool> told_held;

  bool told_out = false;  // the scheduler hands it out to nobody: a taint, a fault

  // Derived by reduce from the workloads' allocations, told_held, told_out and the node's out_of_use, never
  // set by a backend.
  Holding holding = Holding::unknown;
  bool exact = true;  // false: holders are the set that holds a set of slices this one belongs to
  std::vector<Holder> holders;
  // Work could get it if nobody held it; nullopt: some of the slices like this one are out of use, and nobody
  // tells which.
  std::optional<bool> usable = true;

  std::optional<Percent> use;  // compute use of this slice; n/a for most sources
  std::optional<Mib> memory_used;
  std::optional<Percent> tensor;       // tensor pipes busy (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)
  std::optional<Percent> memory_busy;  // memory interface busy (DCGM_FI_PROF_DRAM_ACTIVE)
  Origin measured;                     // who tells these four (engine/model/telemetry.hpp)
  friend bool operator==(const Slice&, const Slice&) = default;
};

// A process that has a GPU open, as the driver of the node lists it.
struct GpuProcess {
  std::int64_t pid = 0;            // on the node, outside any container
  std::string name;                // its command, cleaned of control characters; empty: not told
  std::optional<int> instance_id;  // of the GPU instance that it runs in; nullopt: GPU not cut, or not told
  std::optional<Mib> memory;
  WorkloadId workload;  // whose it is, where the scheduler tells (scontrol listpids); empty: not told
  // Of the GPU's multiprocessors, by itself (nvidia-smi pmon); nullopt: not told, as always under MIG.
  std::optional<Percent> use = std::nullopt;
  friend bool operator==(const GpuProcess&, const GpuProcess&) = default;
};

// Every process that had one GPU open at one time.
struct GpuProcesses {
  std::vector<GpuProcess> list;
  Origin origin;
  friend bool operator==(const GpuProcesses&, const GpuProcesses&) = default;
};

// What one of those that share a GPU or an instance uses by itself, where a source tells it under its name:
// never a part of the GPU's own figures.
struct OwnUse {
  WorkloadId workload;
  std::optional<int> instance_id;  // of the GPU instance that is shared; nullopt: the GPU is
  std::optional<Percent> use;
  std::optional<Mib> memory_used;
  friend bool operator==(const OwnUse&, const OwnUse&) = default;
};
struct OwnUses {
  std::vector<OwnUse> list;
  Origin origin;
  friend bool operator==(const OwnUses&, const OwnUses&) = default;
};

struct Telemetry {
  std::optional<Percent> use;
  std::optional<Mib> memory_used;
  std::optional<Percent> tensor;       // tensor pipes busy (DCGM_FI_PROF_PIPE_TENSOR_ACTIVE)
  std::optional<Percent> memory_busy;  // memory interface busy (DCGM_FI_PROF_DRAM_ACTIVE)
  std::optional<Celsius> temperature;
  std::optional<Watts> power;
  std::optional<bool> licensed;  // a vGPU licence is held (the exporter's VGPU_LICENSE_STATUS)
  Origin origin;
  friend bool operator==(const Telemetry&, const Telemetry&) = default;
};

struct Gpu {
  GpuIndex index;
  std::string uuid;                   // empty: not told
  std::string model;                  // as the source names it: "NVIDIA H100 80GB HBM3", or Slurm's "h100"
  std::optional<ProductKey> product;  // set only when the catalogue knows exactly one product by that name
  std::optional<Mib> memory;
  std::optional<MigMode> mig_mode;
  // AMD's compute and memory partitions, as its tools name them: "CPX/NPS4". Empty: not told, or another
  // maker's GPU.
  std::string partition_mode;
  Strategy strategy = Strategy::unknown;
  std::optional<int> replicas;  // MPS clients, time-slices or shards offered per GPU (or per instance)
  std::vector<Slice> slices;    // in placement order; empty: MIG on and no instances
  Telemetry telemetry;
  Boxed<GpuProcesses> processes;  // none: nobody told
  Boxed<OwnUses> own;             // none: nobody told
  Origin origin;
  friend bool operator==(const Gpu&, const Gpu&) = default;
};

// What an admin must know first about a node, worked out from the scheduler's own words.
enum class Health : std::uint8_t {
  ok,
  draining,  // closed to new workloads, work still there
  drained,   // closed to new workloads, empty
  down,      // not answering, failed, powered off
  invalid,   // registered with less than is configured (Slurm INVALID_REG), or broken advertisement
  unknown,
};

// How many slices there are, and how they are held. Kept, so that ten thousand nodes sort without counting.
struct SliceCounts {
  std::int32_t all = 0, held = 0, free = 0;  // the rest: out of use, or not known
  // Of slices that are handed out in shares (replicas, MPS percent, shards): may be known where it is not
  // known whose, and on which slice.
  std::int32_t shares = 0;
  std::optional<std::int32_t> shares_held = std::nullopt;
  std::int32_t out = 0;                                    // slices that are not held and cannot be had
  bool known() const { return held + free + out >= all; }  // of each slice
  friend bool operator==(const SliceCounts&, const SliceCounts&) = default;
};

// What nobody holds of a node's usable slices of one kind, in their capacity units.
struct UnheldKind {
  SliceKind kind = SliceKind::whole_gpu;
  ProfileName profile;
  int capacity = 1;
  int units = 0;
  friend bool operator==(const UnheldKind&, const UnheldKind&) = default;
};

// What nobody holds of a node's usable slices, as far as each slice tells it. Kept, too: reaching a hundred
// thousand slices is most of a search.
struct Unheld {
  std::vector<UnheldKind> kinds;
  std::int32_t slices = 0;  // of which something is left
  std::int32_t free = 0;    // of which all is left
  std::int32_t open = 0;    // of which it is not known whether they are held or out of use
  std::int32_t silent = 0;  // whose holders' shares are not told
  friend bool operator==(const Unheld&, const Unheld&) = default;
};

// What a node's GPUs have in common. Kept, too: looking at eighty thousand GPUs is most of a search.
struct BoardKinds {
  std::uint8_t strategies = 0;  // a bit for each Strategy that is in use there
  bool several_models = false;
  friend bool operator==(const BoardKinds&, const BoardKinds&) = default;
};

// One program that a node's GPUs depend on there: slurmd, the device plugin, the MIG manager.
enum class Part : std::uint8_t { ready, not_ready, paused, missing, unknown };
struct Component {
  std::string name;  // "device plugin"
  Part state = Part::unknown;
  std::string detail;                             // why it is not ready, in its own words
  std::optional<TimePoint> since = std::nullopt;  // its pod is not ready; nullopt: it is, or that is not told
  friend bool operator==(const Component&, const Component&) = default;
};

// The layout that another user has ordered for a node, where the scheduler keeps such an order (the MIG
// manager's labels).
struct LayoutOrder {
  std::string config;  // nvidia.com/mig.config
  std::string state;   // nvidia.com/mig.config.state; empty: none yet
  std::optional<TimePoint> since;
  std::string by = {};  // the client that wrote config last, as it names itself; empty: not told
  std::optional<TimePoint> written = {};  // when it last wrote anything of its own there; nullopt: not told
  friend bool operator==(const LayoutOrder&, const LayoutOrder&) = default;
};

// Who wrote a label last by which another way of sharing is ordered for a node (the device plugin's
// configuration, the vGPU manager's): what LayoutOrder has of the MIG manager's.
struct LabelWrite {
  std::string label;                      // "nvidia.com/device-plugin.config"
  std::string by;                         // the client, as it names itself
  std::optional<TimePoint> written = {};  // when it last wrote anything of its own there; nullopt: not told
  friend bool operator==(const LabelWrite&, const LabelWrite&) = default;
};

// What an allocation or a request is counted in.
enum class Family : std::uint8_t { gpu, mps, shard, vgpu };

// Slices that the scheduler hands out to nobody, where it tells how many and not which.
struct OutOfUse {
  Family family = Family::gpu;
  std::string type;  // as of an Allocation
  int count = 0;     // slices
  friend bool operator==(const OutOfUse&, const OutOfUse&) = default;
};

// The pod in which a Slurm node's slurmd runs, where Kubernetes runs it (Slinky's slurm-operator, which keeps
// this in the Slurm node's Comment).
struct HostPod {
  std::string name_space, name;
  WorkloadId workload() const { return WorkloadId(name_space + "/" + name); }
  friend bool operator==(const HostPod&, const HostPod&) = default;
};

struct Node {
  NodeName name;
  std::vector<std::string> state;  // the scheduler's own flags, upper case: {"MIXED","DRAIN"}
  Health health = Health::unknown;
  std::string reason;  // why it is drained or down, in its author's words; cleaned of control characters
  std::string reason_by;
  std::optional<TimePoint> reason_at;
  std::vector<Gpu> gpus;    // ordered by index
  std::vector<Slice> pool;  // slices whose GPU the scheduler does not tell (Slurm MIG types)
  std::string model;        // most specific GPU wording known for the node, for pools: "h100"
  std::optional<int> cpus;
  std::optional<int> cpus_held;
  std::optional<Mib> memory;
  std::optional<Mib> memory_held;  // allocated by the scheduler
  std::vector<std::string> partitions;
  std::vector<std::string> features;  // Slurm features or the Kubernetes labels worth showing
  std::string driver;                 // GPU driver version; empty: not told
  std::string agent;                  // slurmd or kubelet version; empty: not told
  std::string reservation;
  std::vector<Component> components;  // in the order in which they depend on each other
  std::optional<LayoutOrder> order;
  std::vector<LabelWrite> writes;  // of labels that it has; one that is not here: who wrote it is not told
  std::vector<OutOfUse> out_of_use;
  // GPU resources that the scheduler has to hand out here, held ones among them, by name (a kubelet's
  // allocatable, what is 0 left out; of Slurm what slurmctld has as Gres); nullopt: not reported.
  std::optional<std::map<std::string, std::int64_t>> allocatable;
  std::vector<std::string> taints;  // Kubernetes: "team=x:NoExecute"; without that of a cordon
  std::optional<HostPod> host_pod;  // Slurm
  std::optional<TimePoint> booted;
  Origin origin;

  // Derived by reduce: ids of the workloads with an allocation here, sorted; its slices, counted; its GPUs.
  std::vector<WorkloadId> workloads;
  SliceCounts counts;
  Unheld unheld;
  std::vector<UnheldKind> open_kinds;  // among slices of which it is not known which are held or out of use
  BoardKinds kinds;
  friend bool operator==(const Node&, const Node&) = default;
};

struct DeviceShare {
  int device = 0;  // Slice::device
  int share = 1;   // in the slice's capacity units; 0: the source does not tell how much
  friend bool operator==(const DeviceShare&, const DeviceShare&) = default;
};

struct Allocation {
  NodeName node;
  Family family = Family::gpu;
  std::string type;                  // "h100", "1g.10gb"; empty: untyped
  int count = 0;                     // units held on that node
  std::vector<DeviceShare> devices;  // empty: the scheduler tells how many but not which
  friend bool operator==(const Allocation&, const Allocation&) = default;
};

struct Request {
  std::string resource;  // in the scheduler's words: "gpu:h100", "nvidia.com/mig-1g.10gb"
  std::int64_t count = 0;
  std::int64_t largest = 0;  // of a pod: the most that one container asks for; 0: all of it
  friend bool operator==(const Request&, const Request&) = default;
};

// What a platform's rules ask of a pod beyond its requests.
struct PodUse {
  std::string container;  // the one that asks for GPUs; the first of several
  int processes = 0;      // that its command starts, where it says so: mpirun -np 4; 0: not told
  bool host_ipc = false;
  friend bool operator==(const PodUse&, const PodUse&) = default;
};

// What a waiting job asks of its nodes beside GPUs, as Slurm lists it.
struct NodeNeeds {
  std::string nodes;                  // it must have all of these: a host list; empty: none named
  std::string excluded;               // it runs on none of these: a host list
  std::string features;               // "h100&nvl"; empty: none
  std::string reservation;            // "r1" or "r1,r2": it runs in one of these alone; empty: in none
  std::optional<int> cpus;            // on all its nodes together
  std::optional<Mib> memory;          // on all its nodes together
  std::optional<int> cpus_each;       // on each of its nodes at the least
  std::optional<Mib> memory_each;     // on each of its nodes at the least
  bool alone = false;                 // nothing else may run on its nodes
  bool shares = false;                // others may run on its CPUs, where its partition allows that
  std::optional<TimePoint> expected;  // its earliest start, or when the scheduler expects it to start
  friend bool operator==(const NodeNeeds&, const NodeNeeds&) = default;
};

enum class WorkloadKind : std::uint8_t { job, pod };
enum class WorkloadState : std::uint8_t { pending, running, suspended, completing, ended, unknown };

struct Workload {
  WorkloadId id;
  WorkloadKind kind = WorkloadKind::job;
  std::string name;
  std::string user;
  std::string group;    // Kubernetes namespace, Slurm partition
  std::string account;  // Slurm account; empty elsewhere
  WorkloadState state = WorkloadState::unknown;
  std::string state_word;         // the scheduler's own: "PENDING", "COMPLETING"
  std::string reason;             // why it waits, in the scheduler's words
  std::vector<Request> requests;  // GPU resources asked for in all; empty: none asked for
  std::vector<Allocation> allocations;
  int node_count = 0;
  // Of a job array that waits, told as one: how many could start together, each with its requests.
  int tasks = 1;
  std::optional<TimePoint> submitted;
  std::optional<TimePoint> started;
  std::optional<TimePoint> ends;         // by its time limit
  std::optional<Duration> limit;         // how long it may run; nullopt: without bound, or not told
  std::optional<std::int64_t> priority;  // the scheduler's own: the higher comes first; nullopt: not told
  std::optional<bool> restartable;       // Slurm Requeue=1, or owned by a controller
  std::string comment;
  std::string unasked;     // how it reaches GPUs that it never asked for ("privileged"); empty: it does not
  bool stays = false;      // sent away, it is started on that node again at once (a pod of a DaemonSet)
  Boxed<PodUse> pod = {};  // none: a job, or not told
  Boxed<NodeNeeds> needs = {};  // none: it does not wait, or they are not listed
  Origin origin;
  friend bool operator==(const Workload&, const Workload&) = default;
};

struct Partition {
  std::string name;
  std::string state;  // UP, DOWN, DRAIN, INACTIVE
  bool hidden = false;
  bool is_default = false;
  std::string nodes;     // hostlist as told
  std::string max_time;  // as told
  // How many jobs may have the same CPUs, as told: "NO", "YES:4" (those that ask for it), "FORCE:4" (all);
  // "EXCLUSIVE": none shares a node with others. Empty: not told.
  std::string sharing = {};
  friend bool operator==(const Partition&, const Partition&) = default;
};

struct Reservation {
  std::string name;
  std::string state;
  std::string nodes;
  std::string flags;
  std::string users;
  std::optional<TimePoint> start;
  std::optional<TimePoint> end;
  friend bool operator==(const Reservation&, const Reservation&) = default;
};

// What the work of one namespace may ask for of a GPU resource, all together (Kubernetes ResourceQuota).
struct Quota {
  std::string group;     // the namespace
  std::string name;      // the quota's own
  std::string resource;  // "nvidia.com/gpu"
  std::int64_t limit = 0;
  std::optional<std::int64_t> used;  // nullopt: nobody has worked it out yet
  friend bool operator==(const Quota&, const Quota&) = default;
};

// Words for the enums above, as used in JSON, the command line and the console.
std::string_view word(Scheduler scheduler);
std::string_view word(Strategy strategy);  // "whole" "mig" "mps" "time-slicing" "shard" "vgpu" "unknown"
std::string_view word(MigMode mode);
std::string_view word(SliceKind kind);
std::string_view word(Holding holding);
std::string_view word(Health health);
std::string_view word(Family family);
std::string_view word(Part part);  // "ready" "not-ready" "paused" "missing" "unknown"
std::string_view word(WorkloadKind kind);
std::string_view word(WorkloadState state);

}  // namespace tessera
