// The model: every cluster as last told, owned by the UI thread and changed only by reduce().
// Threads: one owner; no locks. Views read it between two calls of reduce.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/model/event.hpp"
#include "engine/model/inventory.hpp"
#include "engine/model/log_entry.hpp"

namespace tessera {

// How one source of one cluster is doing.
struct SourceHealth {
  std::optional<TimePoint> last_ok;
  std::optional<Error> failure;  // set while it fails
  std::optional<TimePoint> failing_since;
  Duration latency{0};
  std::string note;                // what its last answer left out; may be empty
  bool incomplete = false;         // that answer held records that could not be read
  std::optional<SourceCost> cost;  // as told last; nullopt: not measured
};

struct Clock {
  TimePoint at{};    // cluster time...
  TimePoint wall{};  // ...at this wall time
  double speed = 1;  // 0: stands still
};

using Nodes = Inventory<NodeName, Node, &Node::name>;
using Workloads = Inventory<WorkloadId, Workload, &Workload::id>;

struct Cluster {
  ClusterName name;
  Scheduler scheduler = Scheduler::slurm;
  bool simulated = false;
  std::string version;
  std::string endpoint;
  // What tells it from another cluster of the same name: the uid of Kubernetes' namespace kube-system,
  // Slurm's ClusterName and controllers, a simulated world's own mark. Empty: not told, or not known yet.
  std::string id;
  std::string licence;  // where a vGPU licence is named; empty: nowhere that we see
  Nodes nodes;
  Figures figures;  // what was measured of them, by whom: reduce shows some of it on the nodes
  Workloads workloads;
  std::vector<Partition> partitions;
  std::vector<Reservation> reservations;
  std::vector<Quota> quotas;
  std::vector<Daemon> daemons;
  std::map<Source, std::vector<Remark>> remarks;
  std::map<Source, SourceHealth> sources;
  PaceReport pace;
  bool loaded = false;
  // Kept by reduce. False: nodes are listed and the work is not, or not whole, so that a slice of which no
  // holder is known may be held all the same.
  bool work_known = true;
  std::optional<Progress> progress;
  std::optional<Clock> clock;        // nullopt: the wall clock
  std::optional<Recorded> recorded;  // set: this is a moment of a recording
  std::uint64_t generation = 0;
};

struct Model {
  std::vector<Cluster> clusters;  // in the order in which they were opened
  std::deque<LogEntry> log;       // of nodes, sources and daemons; newest last, bounded to kLogLimit
  std::uint64_t revision = 0;     // counts up whenever something changed that rows or sums are made of
  std::uint64_t status = 0;  // counts up when a source answered or our pace changed: rows stay as they are
  // Of jobs, pods and slices, which are many: they push none of the others out.
  std::deque<LogEntry> work_log;  // newest last, bounded to kWorkLogLimit
  std::uint64_t told = 0;         // entries of both logs so far: LogEntry::number of the next one

  static constexpr std::size_t kLogLimit = 5000;
  static constexpr std::size_t kWorkLogLimit = 20000;

  const Cluster* find(const ClusterName& name) const;
  Cluster* find(const ClusterName& name);
};

// The cluster's own time at wall-clock time `wall`.
TimePoint cluster_now(const Cluster& cluster, TimePoint wall);

// Whether a source tells the nodes, or the jobs or pods, of a cluster. The simulator tells both.
bool tells_nodes(Source source);
bool tells_work(Source source);
// Why the jobs or pods that are listed may not be all that there are; nullopt: they are all.
std::optional<std::string> work_untold(const Cluster& cluster);

// When its nodes, jobs or pods were last told, by its own time; nullopt: not yet.
std::optional<TimePoint> last_told(const Cluster& cluster);

// Age of the oldest of the sources that should be fresh (nodes, workloads); nullopt before the first answer.
std::optional<Duration> data_age(const Cluster& cluster, TimePoint wall);

}  // namespace tessera
