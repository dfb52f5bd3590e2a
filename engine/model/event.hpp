// What a backend tells the console: values only, each stamped with its cluster, source and time.
// Threads: built on a backend's thread, moved through the mailbox, consumed by reduce on the UI thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/log_entry.hpp"
#include "engine/model/run_news.hpp"
#include "engine/model/telemetry.hpp"
#include "engine/model/values.hpp"

namespace tessera {

// Figures are told by Measured (engine/model/telemetry.hpp); those that a source reads with the node itself
// may stand in it, and count as measured by their origin. A node without figures takes none away.

// A complete list: what is not in it is gone.
struct NodesListed {
  std::vector<Node> nodes;
};
struct NodeSeen {
  Node node;
};
struct NodeGone {
  NodeName name;
};
struct WorkloadsListed {
  std::vector<Workload> workloads;
};
struct WorkloadSeen {
  Workload workload;
};
struct WorkloadGone {
  WorkloadId id;
};
struct PartitionsListed {
  std::vector<Partition> partitions;
};
struct ReservationsListed {
  std::vector<Reservation> reservations;
};

// A daemon or component of the cluster itself: slurmctld, its backup, slurmdbd, the GPU operator.
struct Daemon {
  std::string name;
  std::string host;
  bool up = false;
  std::string detail;
  friend bool operator==(const Daemon&, const Daemon&) = default;
};
struct DaemonsSeen {
  std::vector<Daemon> daemons;
};

// What a source itself finds wrong: a broken link in a chain, a line of a configuration that cannot hold.
struct Remark {
  enum class Grade : std::uint8_t { info, warning, danger };
  Grade grade = Grade::warning;
  std::string subject;   // node, file:line, component; empty: the cluster
  bool is_node = false;  // subject names a node
  std::string text;      // what is wrong, one line
  std::string hint;      // the way out
  // Which of those that are read again elsewhere it is (engine/insight/processes.hpp). refused: work whose
  // pods the API server refuses, "Job NAMESPACE/NAME" (engine/why/called.hpp).
  enum class Kind : std::uint8_t { other, processes, owners, openers, hidden, crossed, refused };
  Kind kind = Kind::other;
  std::string follows = {};                       // what that means for work; empty: nothing to add
  std::optional<TimePoint> since = std::nullopt;  // by the cluster's clock; nullopt: not told
  std::optional<GpuIndex> gpu = std::nullopt;     // of the node: it is about this GPU; nullopt: not told
  // To copy, beside those that show the node; of `refused` the first one shows the quota, the second raises
  // it.
  std::vector<std::string> commands = {};
  // Of one without `since`: it has been so since then at least, as its source tells or reduce() saw it first.
  std::optional<TimePoint> seen = std::nullopt;
  bool restarts_plugin = false;  // of a node: a restart of its device plugin's pod is the way out
  friend bool operator==(const Remark&, const Remark&) = default;
};
// All of one source's remarks; replaces those it made before.
struct RemarksListed {
  Source source = Source::none;
  std::vector<Remark> remarks;
};

// A complete list.
struct QuotasListed {
  std::vector<Quota> quotas;
};

// The cluster introduces itself (also when its version changes).
struct ClusterSeen {
  Scheduler scheduler = Scheduler::slurm;
  bool simulated = false;
  std::string version;   // "slurm 22.05.8"
  std::string endpoint;  // the slurm.conf, context or scenario it is read from
  std::string id;        // Cluster::id; empty: not told (yet)
};

// Where the cluster names a licence for vGPU ("ClusterPolicy cluster-policy names secret licensing-config").
// Its content is never read. Empty: no longer named.
struct LicenceNamed {
  std::string where;
};

// How a source is doing. A failure leaves the last values in place, with their age.
struct SourceReport {
  Source source = Source::none;
  std::optional<Error> failure;  // nullopt: it answered
  Duration latency{0};
  std::string note;  // it answered, but: records that could not be read, jobs hidden from us; may be empty
  bool incomplete = false;         // records could not be read, or not wholly: what is listed is not all
  std::optional<SourceCost> cost;  // nullopt: not measured
};

// The load that we cause, and how much of the first load is done.
struct PaceReport {
  double calls_per_minute = 0;
  Duration interval{0};  // between two rounds, now
  // Between two figures of a node that is on no screen, as long as rounds really take, and of one that is. 0:
  // not told.
  Duration figures{0}, viewed{0};
};

// The first complete picture has been sent: nodes and workloads, or the reasons why not.
struct Loaded {};

// Progress of a long first load, for people who wait.
struct Progress {
  std::string what;  // "nodes", "jobs"
  std::int64_t done = 0;
  std::optional<std::int64_t> total;
};

// The cluster's own clock, where it is not the wall clock (simulator, replay): cluster time was
// `Event::at` when the wall clock read `wall`, and runs at `speed` times the wall's pace (0: stands still).
struct ClockSet {
  TimePoint wall{};
  double speed = 1;
};

// Of a recording that is shown: the stretch that it covers, and what was gone to.
struct Recorded {
  TimePoint from{}, to{};
  std::string found;  // what happened at the moment shown, or why it is not the one that was asked for
};

// Of a recording that is shown: what happened before the moment shown, oldest first, in place of all that was
// told before. A recording's events are never worked out from one moment to the next: it is gone to and fro.
struct HistoryTold {
  std::vector<LogEntry> entries;
};

struct Event {
  ClusterName cluster;           // empty: news of runs
  std::uint64_t generation = 0;  // a restarted backend counts up; older events are dropped
  TimePoint at{};                // observation time, by the cluster's clock
  std::variant<NodesListed, NodeSeen, NodeGone, WorkloadsListed, WorkloadSeen, WorkloadGone, PartitionsListed,
               ReservationsListed, QuotasListed, DaemonsSeen, RemarksListed, ClusterSeen, LicenceNamed,
               Measured, SourceReport, PaceReport, Loaded, Progress, ClockSet, Recorded, RunsListed, RunTold,
               RunRefused, RunsAtRest, HistoryTold>
      what;
};

}  // namespace tessera
