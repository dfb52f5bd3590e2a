// What tessera keeps of the API's objects: the fields that it uses, as told, cleaned of control characters.
//
// Built by parse.hpp; read by whatever makes values of them (node_values, pod_values, components, remarks)
// and by the steps of a run, which check their effects on them. Names follow the API (core/v1, apps/v1,
// nvidia.com/v1, resource.k8s.io/v1).
// Threads: plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kubernetes/objects/fields.hpp"
#include "engine/model/units.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

struct Meta {
  std::string name;
  std::string name_space;  // empty: the object belongs to no namespace
  std::string version;     // resourceVersion
  std::optional<TimePoint> created;
  std::optional<TimePoint> deleted;  // it is on its way out since then
  Texts labels;                      // those worth keeping (is_kept_label, is_kept_node_label); of a pod all
  Texts annotations;                 // those worth keeping (is_kept_annotation)
  std::string owner_kind;            // the controller that made it: "Job", "ReplicaSet"
  std::string owner_api;             // "apps/v1"
  std::string owner_name;
  std::string unread;  // the part without which the object says nothing: "spec", "status"; empty: it is there
};

// Of the hundreds of labels that node feature discovery sets, those that are read here.
bool is_kept_label(std::string_view key);
// Of a node also those that a site sets itself: fleet files and filters choose nodes by them.
bool is_kept_node_label(std::string_view key);
bool is_kept_annotation(std::string_view key);

struct Condition {
  std::string type;    // "Ready"
  std::string status;  // "True" "False" "Unknown"
  std::string reason;
  std::string message;
  std::optional<TimePoint> since;
};

struct Taint {
  std::string key, value, effect;
  std::optional<TimePoint> since;
};
// "team=x:NoExecute"
std::string taint_text(const Taint& taint);
// That of a cordoned node, which is told as such.
inline constexpr std::string_view kCordonTaint = "node.kubernetes.io/unschedulable";

// When a manager last wrote what a node tells of its GPUs (metadata.managedFields), by the server's clock.
struct Written {
  std::optional<TimePoint> order;    // nvidia.com/mig.config.state
  std::optional<TimePoint> sharing;  // feature discovery's counts, or ack.node.gpu.schedule
  std::optional<TimePoint> plugin;   // nvidia.com/device-plugin.config
  std::optional<TimePoint> upgrade;  // nvidia.com/gpu-driver-upgrade-state
  std::vector<LabelWrite> orders;    // nvidia.com/mig.config, and labels that order another way of sharing
  // nullptr: who wrote that label is not told.
  const LabelWrite* of(std::string_view label) const;
};

// CPU and memory, as pods ask for them and nodes have them for pods.
struct Compute {
  std::int64_t millis = 0;                   // thousandths of a CPU
  std::int64_t bytes = 0;                    // of memory
  bool unread = false;                       // a part cannot be read: it is this much at least
  Compute& operator+=(const Compute& more);  // the largest number there is where it would be more
  friend bool operator==(const Compute&, const Compute&) = default;
};

struct NodeObject {
  Meta meta;
  Written written;
  bool unschedulable = false;
  std::vector<Taint> taints;
  std::vector<Condition> conditions;
  Counts capacity;                   // extended resources, those with a '/' in their name
  Counts allocatable;                // the same
  std::string unread_gpus;           // a GPU resource of them whose count cannot be read; empty: all are read
  std::optional<std::int64_t> cpus;  // whole cores, rounded down
  std::optional<Mib> memory;
  // Of what the kubelet leaves to pods; nullopt: not told.
  std::optional<std::int64_t> allocatable_millis, allocatable_bytes, allocatable_pods;
  std::string kubelet;  // "v1.31.2"
  std::string boot_id;

  // The value of a label; empty: it is not there.
  std::string_view label(std::string_view key) const;
  // Capacity of a resource; nullopt: the node does not know that name.
  std::optional<std::int64_t> has(std::string_view resource) const;
};

// Labels, capacity or an accelerator's name say that there are GPUs.
bool has_gpus(const NodeObject& node);

struct PodObject {
  Meta meta;
  std::string node;           // spec.nodeName; empty: it waits for one
  std::string phase;          // Pending Running Succeeded Failed Unknown
  std::string reason;         // of the status, or why a container waits: "ImagePullBackOff"
  std::string message;        // what belongs to the reason
  std::string unschedulable;  // message of the condition PodScheduled when that is False
  std::optional<TimePoint> started;
  bool ready = false;                      // condition Ready
  std::optional<TimePoint> unready_since;  // nullopt: it is ready, or that is not told
  bool restarts = false;                   // restartPolicy Always or OnFailure
  bool privileged = false;                 // one of its containers is
  bool gpu_paths = false;                  // mounts /dev/nvidia* from its host
  bool host_ipc = false;                   // spec.hostIPC
  std::string gpu_container;               // the first container that asks for GPUs
  int gpu_processes = 0;                   // that the command of such a container starts; 0: it does not say
  bool host_devices = false;               // mounts all of /dev, or of /, from its host
  std::string visible_devices;             // NVIDIA_VISIBLE_DEVICES of a container that asks for no GPU
  bool devices_off = false;                // each container says NVIDIA_VISIBLE_DEVICES=void or none
  int metrics_port = 0;                    // of the container port called "metrics" or "https…"; 0: none is
  bool metrics_https = false;              // ... it is called "https" or "https-metrics"
  std::string runtime_class;
  std::string priority_class;
  std::optional<std::int64_t> priority;  // as admission wrote it
  std::optional<Duration> deadline;      // spec.activeDeadlineSeconds
  Counts requests;  // GPU resources (of sharing::parse_resource), as the scheduler counts them
  Counts largest;   // ... the most of each that one of its containers asks for
  Compute compute;  // ... its CPUs and memory, with what runs it (spec.overhead)
  std::vector<std::string> claims;  // names of the ResourceClaims it uses
  // Of its requests those that a claim answers (status.extendedResourceClaimStatus): no device plugin counts
  // them.
  std::vector<std::string> by_claim;
  std::string extended_claim;  // the claim that was made for them
  std::string hostname;        // spec.hostname
  // Of the Slurm node whose slurmd it runs, by slurm-operator's conditions: {"IDLE", "DRAIN"}, and why.
  std::vector<std::string> slurm_states;
  std::string slurm_reason;
  std::string feature_gates;  // FEATURE_GATES of a container: "DynamicMIG=true,"

  std::string id() const { return meta.name_space + "/" + meta.name; }
  std::string_view label(std::string_view key) const;
};

struct DaemonSetObject {
  Meta meta;
  std::string app;  // label app, app.kubernetes.io/name or k8s-app of its pods
  Texts node_selector;
  std::int64_t desired = 0, ready = 0;
};

struct ClusterPolicyObject {
  Meta meta;
  std::string state;                         // status.state: ready, notReady, ignored
  std::optional<TimePoint> not_ready_since;  // by its condition Ready, where that is False
  std::string mig_strategy;                  // spec.mig.strategy
  std::string mig_config;                    // spec.migManager.config.name: a ConfigMap
  std::string plugin_config;                 // spec.devicePlugin.config.name
  std::string plugin_config_default;         // spec.devicePlugin.config.default
  std::optional<bool> mig_manager;           // spec.migManager.enabled
  std::string licence_secret;  // spec.driver.licensingConfig.secretName or the older configMapName
};

// meta/v1 LabelSelector.
struct LabelSelector {
  struct Demand {
    std::string key;
    std::string is;  // In NotIn Exists DoesNotExist
    std::vector<std::string> values;
  };
  Texts labels;  // all of them, with these values
  std::vector<Demand> demands;

  bool empty() const { return labels.empty() && demands.empty(); }
  // What it demands in words that are not known matches nothing.
  bool matches(const Texts& there) const;
};

// policy/v1 PodDisruptionBudget, and v1beta1.
struct BudgetObject {
  Meta meta;
  std::string api;                        // apiVersion; empty in lists, which say it once for all
  std::optional<LabelSelector> selector;  // nullopt: it covers no pod
  std::optional<std::int64_t> allowed;    // status.disruptionsAllowed; nullopt: not computed yet
  std::int64_t healthy = 0, needed = 0;   // status.currentHealthy, status.desiredHealthy

  std::string id() const { return meta.name_space + "/" + meta.name; }
};

// core/v1 ResourceQuota, as far as it is about GPUs.
struct QuotaObject {
  Meta meta;
  Counts limits;       // status.hard, else spec.hard: "nvidia.com/gpu", without "requests."
  Counts used;         // status.used
  std::string unread;  // the first GPU resource of which a count cannot be read; empty: all are read

  std::string id() const { return meta.name_space + "/" + meta.name; }
};

// core/v1 Event.
struct EventObject {
  Meta meta;
  std::string kind, name;  // of what it is about
  std::string type;        // Normal Warning
  std::string reason;      // "Rebooted"
  std::string message;
  std::string from;  // who says so: "kubelet"
  std::int64_t count = 1;
  std::optional<TimePoint> first, last;  // seen

  std::string id() const { return meta.name_space + "/" + meta.name; }
};

// One device of a ResourceSlice, as the NVIDIA DRA driver describes it.
struct DraDevice {
  std::string name;  // "gpu-0", "gpu-1-mig-1g24gb-14-0"
  std::string type;  // "gpu" "mig"
  std::string uuid;
  std::string parent;   // parentUUID of a MIG device
  std::string product;  // "NVIDIA H100 80GB HBM3"
  std::string profile;  // "1g.24gb"
  std::optional<Mib> memory;
  // The first taint that keeps new work off it: "gpu.nvidia.com/xid=79:NoSchedule"; empty: none. The driver's
  // own comes before one of a DeviceTaintRule.
  std::string taint;
  std::optional<TimePoint> taint_since;  // of the driver's own; nullopt: there is none, or it is not told
  std::string ruled;
  // What it takes of the counters that its GPU's devices share (dynamic MIG); empty: nothing.
  struct Consumed {
    std::string set;
    Counts counters;
  };
  std::vector<Consumed> consumes;
  bool uncounted = false;  // it takes of counters what cannot be read

  const std::string& closed_by() const { return taint.empty() ? ruled : taint; }
};
// What the devices of one GPU share, of which each takes something.
struct DraCounterSet {
  std::string name;     // "gpu-0-counter-set"
  Counts counters;      // "memory-slice-0": 1
  bool unread = false;  // some of them cannot be read
};
// resource.k8s.io/v1 ResourceSlice, and v1beta1.
struct ResourceSliceObject {
  Meta meta;
  std::string driver, node, pool;
  std::int64_t generation = 0;  // of its pool: slices of an older one count no more
  std::int64_t slices = 0;      // of its pool in that generation; 0: not told
  std::vector<DraDevice> devices;
  std::vector<DraCounterSet> counters;  // sharedCounters
  bool cut_off = false;                 // it has more than are kept

  std::string id() const { return meta.name; }
};
// resource.k8s.io/v1 DeviceTaintRule, and v1beta2: an admin's taint for the devices that it selects.
struct DeviceTaintRuleObject {
  Meta meta;
  bool selects = false;              // without a selector it is about none
  bool partly_known = false;         // it selects by class or expression, too, which is not judged here
  std::string driver, pool, device;  // empty: any
  std::string taint;                 // as DraDevice has it; empty: it keeps no work off

  std::string id() const { return meta.name; }
};
// resource.k8s.io/v1 ResourceClaim, and v1beta1.
struct ResourceClaimObject {
  Meta meta;
  struct Wanted {
    std::string device_class;
    std::int64_t count = 1;
    std::string profile;  // of a MIG device, where nothing else but this is asked of it
    // "mig.nvidia.com/1g.10gb", "gpu.nvidia.com"
    std::string resource() const { return profile.empty() ? device_class : device_class + "/" + profile; }
  };
  struct Result {
    std::string driver, pool, device;
    bool admin = false;  // adminAccess: looks at a device that others hold
  };
  std::vector<Wanted> wanted;         // spec.devices.requests; of alternatives the first
  std::vector<Result> results;        // status.allocation.devices.results
  std::vector<std::string> reserved;  // names of the pods that it is reserved for

  std::string id() const { return meta.name_space + "/" + meta.name; }
};

}  // namespace tessera::kubernetes
