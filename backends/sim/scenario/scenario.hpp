// A scenario: what a simulated place is made of, read from YAML (docs/simulator.md describes the language).
//
// Reading is strict: unknown keys, impossible layouts, unknown products and names that point nowhere are
// errors with file and line. What is read never changes afterwards; the world refers to it by index.
// Threads: immutable after parse.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "backends/sim/gpu.hpp"
#include "backends/sim/trap.hpp"
#include "engine/error.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/model/event.hpp"

namespace tessera::sim {

struct Range {  // both ends included
  Duration low{0};
  Duration high{0};
};

// How one GPU of a node is set up when the node boots.
struct BoardPlan {
  Strategy strategy = Strategy::whole;
  int replicas = 1;
  MigMode mode = MigMode::disabled;
  mig::Layout layout;
};

// Why a node does not serve. up: it does.
enum class Condition : std::uint8_t { up, drained, down, invalid, unknown };

struct NodeGroup {
  std::vector<std::string> names;
  std::string product;                // key of the catalogue or of hardware.hpp; free text when unknown
  const mig::Product* mig = nullptr;  // points into the scenario's catalogue
  std::string model;                  // as nvidia-smi names the GPU
  std::string type;                   // Slurm's GRES type for the whole GPU
  int memory_mib = 0;                 // of one GPU; 0: not told
  int idle_watts = 60;
  int full_watts = 400;
  std::vector<BoardPlan> boards;
  bool mig_single = false;   // Kubernetes: instances are offered as nvidia.com/gpu
  bool claimed = false;      // Kubernetes: a DRA driver hands out the GPUs, by claims
  bool dynamic = false;      // ... with dynamic MIG: instances stand as long as claims have them
  bool mig_manager = false;  // ... and the GPU operator's MIG manager runs beside it
  // Kubernetes, GPUs of AMD: the mode in which each of them is partitioned ("CPX/NPS4"); empty: of NVIDIA.
  std::string partition;
  std::string ack;   // Kubernetes: of this node pool of ACK's, whose plugin hands out the GPUs
  bool told = true;  // false: the scheduler tells nothing about this node's GPUs
  int cpus = 64;
  std::int64_t memory_gib = 512;
  std::vector<int> partitions;
  std::vector<std::string> features;
  std::string driver;
  std::string agent;
  std::string reservation;
  std::vector<std::string> host_pods;  // Slurm: by name, the pod that runs slurmd; empty: none does
  bool recut_at_boot = true;           // a boot unit restores the layout; without one the instances stay away
  Condition condition = Condition::up;
  std::string reason, reason_by;
  Duration reason_age{0};
  std::vector<int> hidden;       // GPUs with a process that the scheduler does not know
  bool processes = false;        // which processes have its GPUs open is told, and whose they are
  std::vector<int> by_strategy;  // resource of an uncut GPU, by Strategy; -1: none
  std::vector<int> by_profile;   // resource of an instance, by profile
  // Kubernetes: the names among which the device plugin chooses when it is set up again.
  struct PluginNames {
    int gpu = -1, gpu_shared = -1;
    std::vector<int> instance, instance_shared;  // by profile
  } plugin_names;
};

// A resource request in the scheduler's words, on `nodes` nodes of one partition.
struct Shape {
  std::string text;  // "gpu:h100:4", "nvidia.com/mig-1g.10gb"
  std::string type;  // "h100", "1g.10gb"; empty: untyped
  Family family = Family::gpu;
  int resource = -1;  // index into ClusterSpec::resources; -1: any GPU or instance (untyped)
  int count = 1;      // per node
  int at_once = 0;    // the most that one container of it asks for; 0: all of them
  int nodes = 1;
  int partition = -1;               // Slurm; -1: any node (Kubernetes)
  std::string group;                // partition or namespace, as shown
  std::vector<std::uint32_t> only;  // node indices; empty: any
  friend bool operator==(const Shape&, const Shape&) = default;
};

// A kind of work: initial jobs and arrivals are drawn from it.
struct JobPlan {
  int count = 1;
  std::vector<std::string> names;
  std::vector<int> users;   // indices into ClusterSpec::users
  std::vector<int> shapes;  // one is drawn for each job; an entry may stand several times
  Character does = Character::batch;
  Range runs{Duration(600000), Duration(14400000)};
  std::optional<Range> ran;  // initial jobs: so long ago it began; default: anywhere within its run time
  Duration limit{0};         // 0: twice its run time, rounded up to an hour
  std::string hold;          // a reason that keeps it waiting: "JobHeldUser"
  Duration hold_for{0};      // 0: for good
  std::string comment;
  bool restartable = true;
  std::optional<int> gpu, start;  // pins: GPU, and start of the slice on it
  int line = 0;
};

struct Stream {
  Duration every{0};  // on average
  int at_most = 50;   // with so many of its jobs waiting nobody submits another
  JobPlan plan;
};

// Nodes that leave now and then and come back.
struct Trouble {
  enum class Kind : std::uint8_t { drain, down, reboot };
  Kind kind = Kind::drain;
  Duration every{0};
  Range lasts;
  std::vector<std::string> reasons;
  std::string by;
};

// One thing that goes wrong at a set time after the start.
struct Fault {
  enum class Kind : std::uint8_t { drain, down, reboot, resume, hide, reveal };
  Kind kind = Kind::drain;
  Duration at{0};
  std::uint32_t node = 0;
  int gpu = 0;  // hide, reveal
  std::string reason, by;
};

struct User {
  std::string name;
  std::string account;
};

struct ClusterSpec {
  std::string name;
  Scheduler scheduler = Scheduler::slurm;
  std::string version;
  std::vector<User> users;
  std::vector<Partition> partitions;
  std::vector<Duration> max_times;  // of each partition; 0: none
  std::vector<Reservation> reservations;
  std::vector<Daemon> daemons;
  std::vector<NodeGroup> groups;
  std::unordered_map<std::string, std::uint32_t> node_index;  // by name, and by the name that is shown
  std::vector<std::string> resources;
  std::vector<Shape> shapes;
  std::vector<JobPlan> jobs;
  std::vector<Stream> streams;
  std::vector<Trouble> troubles;
  std::vector<Fault> faults;  // by time
  std::vector<Trap> traps;    // armed from the start
  int gpus_per_user = 0;      // 0: no limit
  int gpus_per_account = 0;   // all users of the account together; 0: no limit
  bool devices_told = true;   // false: allocations say how many but not which
  std::uint32_t first_id = 80001;
  std::optional<Error> failure;  // the source stops answering...
  Duration fails_after{0};       // ...so long after the start
};

struct Scenario {
  std::string name;
  std::string text;  // as read: a saved state carries it along
  std::optional<TimePoint> start;
  std::shared_ptr<const mig::Catalogue> catalogue;
  std::vector<ClusterSpec> clusters;
};
using ScenarioPtr = std::shared_ptr<const Scenario>;

// name is used in messages and as the endpoint that the clusters show.
Result<ScenarioPtr> parse_scenario(std::string_view text, std::string_view name,
                                   std::shared_ptr<const mig::Catalogue> catalogue);
// A scenario that is built in ("demo", "huge") or, when the name has a slash or ends in .yaml, a file.
Result<ScenarioPtr> find_scenario(const std::string& name_or_path,
                                  std::shared_ptr<const mig::Catalogue> catalogue);
std::vector<std::string> scenario_names();

// "90s", "15m", "4h", "2d", "1h30m"; nullopt: not a duration, or beyond ten years.
std::optional<Duration> parse_duration(std::string_view text);
// "gpu[01-03,07]-a" → four names; nullopt: malformed or more than `limit` names.
std::optional<std::vector<std::string>> expand_names(std::string_view pattern, std::size_t limit);

}  // namespace tessera::sim
