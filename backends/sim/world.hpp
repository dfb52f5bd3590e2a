// A simulated cluster: a value with its own clock.
//
// advance(to) plays everything that happens until then, event by event, so that the result does not depend
// on the size of the steps. All chance is drawn from the seed and from counters that are part of the world;
// nothing here reads a clock, a file or a thread. What changed is returned, for whoever shows it.
// Threads: a plain value; copy it freely, share it never.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "backends/sim/gpu.hpp"
#include "backends/sim/scenario/scenario.hpp"
#include "engine/plan/facts.hpp"

namespace tessera::sim {

using JobId = std::uint32_t;

inline constexpr std::int16_t kWholeBoard = -1;

// A piece of a slice that a job holds. Instances are named by id: indices move when a GPU is re-cut.
struct Claim {
  std::uint32_t node = 0;
  std::uint16_t gpu = 0;
  std::int16_t instance = kWholeBoard;
  std::uint16_t share = 1;
  friend bool operator==(const Claim&, const Claim&) = default;
};

enum class JobState : std::uint8_t { pending, running, completing };

// Work that came from outside, in words that no scenario has: a pod that a user made by hand.
struct Errand {
  Shape shape;
  std::string name;  // as it is called, within its group
  friend bool operator==(const Errand&, const Errand&) = default;
};
struct ErrandPtr {
  std::shared_ptr<const Errand> one;  // shared: a job is copied often, its errand never changes
  friend bool operator==(const ErrandPtr& a, const ErrandPtr& b) {
    return a.one == b.one || (a.one && b.one && *a.one == *b.one);
  }
};

struct Job {
  JobId id = 0;
  std::uint32_t shape = 0;  // of the scenario's; means nothing where there is an errand
  ErrandPtr errand;
  std::uint32_t user = 0;
  Character does = Character::batch;
  JobState state = JobState::pending;
  bool restartable = true;
  std::int32_t stream = -1;  // the arrivals it came from; -1: an initial one
  TimePoint submitted{};
  TimePoint started{};
  TimePoint ends{};      // running: when it ends; completing: when it is gone
  TimePoint eligible{};  // a held job waits at least until then
  Duration runs{0};
  Duration limit{0};
  std::string name;
  std::string hold;    // keeps it waiting, whatever is free; empty: nothing does
  std::string reason;  // why it waits, as last worked out
  std::string comment;
  std::vector<Claim> claims;
  friend bool operator==(const Job&, const Job&) = default;
};

// Why a node is closed to new workloads: outlives a reboot and an outage.
struct Closing {
  std::string reason, by;
  TimePoint since{};
  friend bool operator==(const Closing&, const Closing&) = default;
};

// Kubernetes: the device plugin's switches for what is handed out in shares. A world starts with names of
// their own for shares, of which a pod may ask for several; saved worlds of earlier versions had no others.
struct ShareSwitches {
  bool renamed = true;           // renameByDefault: nvidia.com/gpu.shared
  bool refuses_several = false;  // failRequestsGreaterThanOne
  friend bool operator==(const ShareSwitches&, const ShareSwitches&) = default;
};

// Kubernetes: how the GPU operator's device plugin offers the GPUs of a node since it was last set up.
struct PluginOffer {
  bool nothing = false;  // it is away, or refuses its configuration
  bool single = false;   // instances go by the name of a whole GPU
  friend bool operator==(const PluginOffer&, const PluginOffer&) = default;
};

// What a run was told last of a reset by itself.
struct ResetMade {
  std::string run, gpus;  // gpus: as plan::gpu_numbers()
  bool in_vain = false;   // they still ask for one
  bool sound = false;     // they have answered since, and ask for none
  friend bool operator==(const ResetMade&, const ResetMade&) = default;
};

struct NodeState {
  std::uint32_t group = 0;
  Condition condition = Condition::up;
  std::string reason, by;
  TimePoint since{};
  TimePoint booted{};
  std::optional<TimePoint> until;  // comes back by itself then
  std::optional<Closing> closing;  // while it is away: it comes back closed
  std::optional<plan::RunMark> mark;
  // Slurm: it reboots once no job is there, or is at it; reopens: it takes new ones then, whoever closed it.
  bool reboots = false, reopens = false;
  std::optional<ResetMade> reset;
  std::string plugin_by;        // Kubernetes: the run that has restarted its device plugin last; empty: none
  std::optional<int> promised;  // devices that the scheduler expects; nullopt: those of the scenario
  std::optional<PluginOffer>
      offer;  // nullopt: no GPU operator looks after it; the scenario's strategy counts
  ShareSwitches switches;
  std::vector<Board> boards;
  friend bool operator==(const NodeState&, const NodeState&) = default;
};

struct Recurring {
  TimePoint next{};
  std::uint64_t count = 0;
  friend bool operator==(const Recurring&, const Recurring&) = default;
};

// What one advance() or action did. Sorted, without doubles; a job that ended may be in both `jobs` and
// `gone`.
struct Changes {
  std::vector<std::uint32_t> nodes;
  std::vector<JobId> jobs;
  std::vector<WorkloadId> gone;
  void add(const Changes& more);
  void tidy();
  bool empty() const { return nodes.empty() && jobs.empty() && gone.empty(); }
};

struct World {
  // What it is made of; never changes.
  ScenarioPtr scenario;
  std::size_t cluster = 0;
  std::uint64_t seed = 0;

  // What changes with time; a saved state holds exactly this.
  TimePoint start{};
  TimePoint now{};
  JobId next_id = 1;
  std::vector<NodeState> nodes;
  std::map<JobId, Job> jobs;
  std::vector<Recurring> streams;
  std::vector<Recurring> troubles;
  std::uint64_t faults_done = 0;
  std::vector<ArmedTrap> traps;
  std::optional<TimePoint> pass_at;  // the scheduler looks next

  const ClusterSpec& spec() const { return scenario->clusters[cluster]; }
  const NodeGroup& group(const NodeState& node) const { return spec().groups[node.group]; }
  const std::string& node_name(std::uint32_t node) const;
  // nullopt: it answers.
  const Error* failing() const;

  // Precondition: to >= now; an earlier time does nothing.
  Changes advance(TimePoint to);

  // Looked up rather than kept: rebuilt from the above when absent, never compared or saved.
  struct Derived {
    enum class Kind : std::uint8_t { leave, finish, release, resume, fault, trouble, arrival, pass };
    struct Due {
      TimePoint at;
      Kind kind;
      std::uint32_t which;
      friend auto operator<=>(const Due&, const Due&) = default;
    };
    std::priority_queue<Due, std::vector<Due>, std::greater<>> queue;
    std::set<JobId> pending;
    std::vector<int> free;     // free shares of each node, for a quick no
    std::vector<int> held;     // GPUs and instances held by each user
    std::vector<int> waiting;  // pending jobs of each stream
    std::vector<std::uint32_t> first_of_group;
  };
  std::optional<Derived> derived;

  // Equal in everything that can be seen, now or later.
  friend bool operator==(const World& a, const World& b);
};

// The world at its start. Errors: an initial job that is pinned where it cannot run.
Result<World> make_world(ScenarioPtr scenario, std::size_t cluster, std::uint64_t seed, TimePoint start);
// One for each cluster of the scenario; start is used unless the scenario pins its own.
Result<std::vector<World>> make_worlds(const ScenarioPtr& scenario, std::uint64_t seed, TimePoint start);

// The GPUs of a scenario's nodes, not cut yet, with the nodes in the scenario's order.
std::vector<NodeState> bare_nodes(const ClusterSpec& spec);
// Rebuilds what is looked up rather than kept.
void derive(World& world);

// What is different now, whatever happened in between. Precondition: both are of one scenario and cluster.
Changes changes_between(const World& before, const World& after);

// By the name that is shown; nullopt: there is none.
std::optional<std::uint32_t> find_node(const World& world, std::string_view shown);
// A fault hides it from everyone who looks.
bool is_vanished(const World& world, std::uint32_t node);
bool is_silent(const World& world, std::uint32_t node);  // ... or lets it not answer

// How the reason of a job begins whose pod the kubelet does not admit.
inline constexpr std::string_view kNotAdmitted = "UnexpectedAdmissionError";

// What the job asks for.
const Shape& wanted_by(const World& world, const Job& job);
// The number of a resource's name in the scenario; one that nothing offers where it is not there.
int resource_named(const ClusterSpec& spec, std::string_view name);
// What the scheduler calls the job: "80017", "team-ml/serve-x2x4p".
WorkloadId workload_id(const World& world, const Job& job);

// Everything that must hold at any time, as sentences about what does not: layouts legal, nothing held twice
// or beyond its capacity, claims and holds agree. Empty: all is well.
std::vector<std::string> audit(const World& world);

}  // namespace tessera::sim
