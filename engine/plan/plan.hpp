// A plan: what will change, whom it disturbs, and the steps, each with the proof that it worked.
//
// A value that can be kept as a file (plan_file.hpp), reviewed, and applied later if the world has not moved.
// Threads: plain values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/plan/basis.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/condition.hpp"
#include "engine/plan/intent.hpp"

namespace tessera::plan {

// Repeating is safe only where the step says so.
struct Retry {
  int times = 0;        // after the first attempt
  Duration first{0};    // pause before the first repetition; doubles each time...
  Duration longest{0};  // ...up to this
  friend bool operator==(const Retry&, const Retry&) = default;
};

struct Step {
  std::string id;                     // "n0007/4": unique in the plan
  std::string title;                  // "GPU 0: create 3g.40gb@4, 2g.20gb@2"
  std::vector<std::string> commands;  // what one would type, one a line; empty: nothing is run
  Action action;
  Conditions before;          // asserted on fresh facts
  Conditions after;           // read back; the step is done when all hold, whatever the action returned
  Duration deadline{0};       // for `after` to come true; 0: as long as it takes
  Duration look_every{1000};  // how often it is read back
  Retry retry;
  std::optional<TimePoint> not_before;
  std::string undo;       // how to undo it, for people; empty: nothing to undo
  bool disturbs = false;  // someone's work ends or restarts by this step
  friend bool operator==(const Step&, const Step&) = default;
};

// Enough about a GPU to put it back.
struct BoardState {
  GpuIndex gpu;
  ProductKey product;  // empty: not known
  std::string model;   // as the source names it
  bool mig = false;
  Strategy strategy = Strategy::whole;
  int replicas = 1;
  ProfileName vgpu;
  std::vector<InstanceAt> instances;  // in placement order
  friend bool operator==(const BoardState&, const BoardState&) = default;
};

// A slice in the preview: an instance, or a whole or shared GPU.
struct SlicePlan {
  GpuIndex gpu;
  SliceKind kind = SliceKind::gpu_instance;
  ProfileName profile;
  std::optional<Placement> at;
  int capacity = 1;
  int order = 0;                    // created: 1 is made first on its GPU; else 0
  std::vector<WorkloadId> holders;  // now
  bool held = false;                // also by a client that nobody can name
  bool recreated = false;           // destroyed and made again only because the backend cannot spare it
  friend bool operator==(const SlicePlan&, const SlicePlan&) = default;
};

enum class Hit : std::uint8_t {
  holds,       // holds a slice that goes
  in_the_way,  // holds nothing that changes, but the backend cannot spare its GPU or node
  unasked,     // uses a GPU without having asked for one
  unknown,     // a client that no scheduler knows of
};

// One disturbed workload with everything of it that is lost, wherever it runs.
struct Disturbed {
  Hit hit = Hit::holds;
  WorkloadKind kind = WorkloadKind::job;
  WorkloadId id;  // empty: unknown client
  std::string name;
  std::string user;
  std::optional<Duration> running;
  std::optional<bool> restartable;  // false: it ends; nullopt: not told
  std::vector<std::string> slices;  // on this node: "GPU 1 3g.40gb@4"
  int gpus = 0;                     // GPUs or slices held in all, on every node
  int nodes = 0;                    // nodes it runs on
  std::optional<double> gpu_hours;  // of whole GPUs so far, slices by their part; nullopt: not known
  std::string unasked;              // how it reaches GPUs without asking; empty: it asked
  bool stays = false;               // sending it away does not help: it is started there again at once
  friend bool operator==(const Disturbed&, const Disturbed&) = default;
};

struct Needs {
  bool drain = false;
  bool mode_change = false;
  bool reset = false;
  friend bool operator==(const Needs&, const Needs&) = default;
};

using Counts = std::map<std::string, std::int64_t>;

// What a node (or all nodes of the plan) offers, in both schedulers' words.
struct Offered {
  Counts slurm;
  Counts kubernetes;
  const Counts& by(Scheduler scheduler) const { return scheduler == Scheduler::slurm ? slurm : kubernetes; }
  friend bool operator==(const Offered&, const Offered&) = default;
};

// The device plugin's switches for what it hands out in shares, as they take effect there.
struct Switches {
  bool rename = false;          // renameByDefault: "nvidia.com/gpu.shared"
  bool refuse_several = false;  // failRequestsGreaterThanOne
  friend bool operator==(const Switches&, const Switches&) = default;
};

// Something to know before arming, with the rule that says so.
struct Notice {
  Severity severity = Severity::warning;
  std::string rule;  // "fpt-a", "quota-units", "default-cpus", "wasted-compute"
  NodeName node;     // empty: about the plan
  std::string text;
  friend bool operator==(const Notice&, const Notice&) = default;
};

struct NodePlan {
  NodeName node;
  std::vector<std::string> relied_on;     // what was so when it was made, one fact a line (moved.hpp)
  std::vector<BoardState> before, after;  // GPUs that change, and those dragged along; empty: not told
  Orders ordered_before, ordered_after;
  std::optional<Switches> switches_before, switches_after;  // nullopt: no shares, or no plugin that has them
  std::vector<SlicePlan> kept, destroyed, created;
  std::optional<Scope> scope;  // what must be free of work; nullopt: nothing
  std::vector<Disturbed> blast_radius;
  Offered offered_before, offered_after;      // of the whole node
  int compute_before = 0, compute_after = 0;  // compute slices on offer; what is not cut counts all of them
  Needs needs;
  std::vector<Step> steps;  // empty: nothing to do
  bool only_given_back =
      false;  // the run has changed nothing there: the steps open it and remove tessera's mark
  friend bool operator==(const NodePlan&, const NodePlan&) = default;
};

// Pending work that the change makes possible or impossible.
struct PendingEffect {
  WorkloadId id;
  std::string name;
  std::string user;
  std::string request;  // "gpu:h100"
  std::string remark;   // what it gets of that; may be empty
  friend bool operator==(const PendingEffect&, const PendingEffect&) = default;
};

inline constexpr int kPendingListed = 100;

struct Plan {
  std::string id;  // "p-1f3c9a02"; the same world, intent and time give the same id
  Intent intent;
  Scheduler scheduler = Scheduler::slurm;
  Capabilities capabilities;
  Setup setup;  // of a plan that is made here; a file keeps Plan::made_from instead
  Means means() const { return {capabilities, setup}; }
  TimePoint made{};
  std::string fingerprint;      // of all that the plan relies on
  std::string cluster_id;       // Cluster::id then; empty: not told
  std::string undoes;           // the run that it takes back; else empty
  Basis made_from;              // of a plan that was read; basis_of(plan) answers for every plan
  std::vector<NodePlan> nodes;  // in the order of the intent
  Offered offered_before, offered_after;
  std::vector<Notice> violations;          // of platform rules
  std::vector<Notice> notices;             // limits whose meaning changes, waste, what cannot be told
  std::vector<PendingEffect> never_again;  // pending work that would never match again
  std::vector<PendingEffect> will_run;     // pending work that will be able to run
  int never_again_count = 0;               // how many there are; the lists end at kPendingListed
  int will_run_count = 0;
  std::string no_steps;  // why this backend has no steps yet: the plan can be looked at, not applied
  // Of a plan in a journal: steps that the file called otherwise than what they do. Not kept.
  std::vector<std::string> renamed;
  friend bool operator==(const Plan&, const Plan&) = default;

  bool changes_anything() const {
    for (const NodePlan& node : nodes)
      if (!node.steps.empty()) return true;
    return false;
  }
};

// As it was written, or of what the plan was made with.
Basis basis_of(const Plan& plan);
// Whether its steps write what nodes outside the plan read, too.
Outside outside_of(const Plan& plan);

std::string_view word(Hit hit);  // "holds" "in-the-way" "unasked" "unknown"

}  // namespace tessera::plan
