// What a run may ask of a backend: every act is one of these, with nothing left to interpret.
//
// Each is idempotent in effect: the executor first removes from it what is already so (narrow).
// Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/plan/intent.hpp"

namespace tessera::plan {

// One GPU instance, as it stands or as it shall stand.
struct InstanceAt {
  ProfileName profile;
  Placement at;           // size 0: not told
  std::optional<int> id;  // as the driver calls it; known for those that stand
  // Two are the same instance when profile and place agree; ids change when one is made again.
  bool placed() const { return at.size > 0; }
  bool same(const InstanceAt& other) const { return profile == other.profile && at == other.at; }
  friend bool operator==(const InstanceAt&, const InstanceAt&) = default;
};

// Marks the node as being changed by this run; refused where another run's mark stands, unless break_lock.
struct SetMark {
  bool break_lock = false;
  friend bool operator==(const SetMark&, const SetMark&) = default;
};
// Takes our mark off; another's stays.
struct ClearMark {
  friend bool operator==(const ClearMark&, const ClearMark&) = default;
};
// Closes the node to new work (drain, cordon). The reason carries the run's mark, then these words.
struct CloseNode {
  std::string words;
  friend bool operator==(const CloseNode&, const CloseNode&) = default;
};
// Opens the node again, if it is still closed by our mark; never undoes another's closing.
struct OpenNode {
  friend bool operator==(const OpenNode&, const OpenNode&) = default;
};
// Sends one workload away: requeue puts it back in the queue (evicts a pod), cancel ends it.
struct Evict {
  WorkloadId workload;
  Way way = Way::requeue;
  friend bool operator==(const Evict&, const Evict&) = default;
};
// Destroys these instances (compute instances first) and no other.
struct DestroyInstances {
  GpuIndex gpu;
  std::vector<InstanceAt> instances;
  friend bool operator==(const DestroyInstances&, const DestroyInstances&) = default;
};
// Creates these with their full-width compute instances, in this order. chosen: at these starts; otherwise
// the driver chooses, and the starts are what we expect of it.
struct CreateInstances {
  GpuIndex gpu;
  std::vector<InstanceAt> instances;
  std::vector<InstanceAt> beside;  // stand already: for counting, not for doing
  bool chosen = true;
  friend bool operator==(const CreateInstances&, const CreateInstances&) = default;
};
struct SetMode {
  std::vector<GpuIndex> gpus;
  bool mig = false;
  friend bool operator==(const SetMode&, const SetMode&) = default;
};
struct ResetGpus {
  std::vector<GpuIndex> gpus;
  friend bool operator==(const ResetGpus&, const ResetGpus&) = default;
};
// How GPUs that are in their MIG mode already are shared: whole, mps, time_slicing, shard, vgpu; or mig
// with replicas of each instance.
struct Configure {
  std::vector<GpuIndex> gpus;
  Strategy strategy = Strategy::whole;
  int replicas = 1;
  ProfileName vgpu;
  friend bool operator==(const Configure&, const Configure&) = default;
};
// Nothing is done: the step is its waiting or its reading back.
struct LookOnly {
  std::string to_apply;  // a patch of the site's files that another admin is to apply; tessera only shows it
  friend bool operator==(const LookOnly&, const LookOnly&) = default;
};
// A dialect's own act ("label-node", "write-config"), for steps that only one backend knows.
struct Special {
  std::string verb;
  std::map<std::string, std::string> arguments;
  friend bool operator==(const Special&, const Special&) = default;
};

using Action = std::variant<SetMark, ClearMark, CloseNode, OpenNode, Evict, DestroyInstances, CreateInstances,
                            SetMode, ResetGpus, Configure, LookOnly, Special>;

// "set-mark" "close-node" "create-instances" ...: in JSON and in the journal.
std::string_view word(const Action& action);

}  // namespace tessera::plan
