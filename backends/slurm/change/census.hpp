// What the controller tells of the whole cluster at one time, for the looks of runs.
//
// However many runs look at however many nodes: all that wait share one reading, which begins after the last
// of them has asked, so that it is fresh for each. It reads nodes, jobs where one of those nodes is busy, and
// reservations, one call at a time. A run's look leaves the reservations out where the nodes' own states say
// that there are none (need_no_reservations). The configuration is read now and then; with the partitions
// each time that one asks for what a reconfigure would change. When it begins is LookPace's matter; while
// other nodes are being changed, it waits some seconds for those that will ask next. Threads: the worker's
// thread only; answers come there, never from inside ask().
#pragma once

#include <map>
#include <memory>

#include "backends/slurm/calls.hpp"
#include "backends/slurm/commands.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/slurm/parse/parse_job.hpp"
#include "backends/slurm/parse/parsed.hpp"
#include "backends/worker.hpp"
#include "engine/mig/catalogue.hpp"

namespace tessera::slurm {

struct Census {
  std::string config;  // of `scontrol show config`; five minutes old at most
  std::string version;
  std::string records;  // the nodes as scontrol told them
  Duration nodes_took{0}, jobs_took{0};
  Parsed<Node> nodes;
  std::optional<ParsedJobs> jobs;    // nullopt: none of the nodes that were asked about is busy
  Parsed<Reservation> reservations;  // a minute old at most
  // Whether it reports what a reconfigure would change: the configuration is as fresh as the nodes then.
  bool effect = false;
  std::string partitions;   // as scontrol told them
  std::string job_records;  // with those that have ended; empty: not asked

  // nullptr: Slurm does not list it, or (nodes.incomplete) its record could not be read.
  const Node* find(const NodeName& name) const;
  // Its line; empty: as above.
  std::string_view record_of(const NodeName& name) const;
  // Who is there. Errors: it is busy and the jobs could not be read whole, or none explains that.
  Result<std::vector<Workload>> work_on(const Node& node) const;
};

// The text of a field of a node's record: "gpu:h100:8(S:0-1)"; empty: none.
std::string gres_of_record(std::string_view record);

class CensusTaker {
 public:
  using Told = std::function<void(Result<std::shared_ptr<const Census>>)>;
  using Taken = std::function<void(const Census&)>;
  // All of them outlive it. catalogue may be null. taken: told of every whole one, before those that asked.
  CensusTaker(Worker& worker, Calls& calls, const SlurmClient& commands, const mig::Catalogue* catalogue,
              std::function<TimePoint()> clock, Duration interval, Taken taken = nullptr);

  struct Wanted {
    bool jobs = false;         // those on the node
    bool effect = false;       // Census::effect
    bool reservations = true;  // in any case; false: where need_no_reservations does not hold
  };
  void ask(NodeName node, Wanted wanted, Told told);
  // The last one with its effect, if its reading began no longer ago than that; null: there is none.
  std::shared_ptr<const Census> recent(Duration age) const;
  // A run is doing something to a node, until act_ended(): what comes of it is looked at soon.
  void act_began(const NodeName& node);
  void act_ended(const NodeName& node);
  // Slurm reads its configuration again.
  void forget_config() { config_read_.reset(); }
  // A run has made one or given one back: the node's state shows that seconds later.
  void forget_reservations() { reservations_read_.reset(); }

 private:
  struct Asking {
    NodeName node;
    Wanted wanted;
    Told told;
    Pacer::Instant since;
  };
  using Take = std::optional<Error> (CensusTaker::*)(const std::string& text, Duration took);
  void schedule();
  Pacer::Instant held_until(Pacer::Instant now);
  void begin();
  void call(Command command, std::string what, Take take, void (CensusTaker::*then)());
  std::optional<Error> take_config(const std::string& text, Duration took);
  std::optional<Error> take_nodes(const std::string& text, Duration took);
  std::optional<Error> take_jobs(const std::string& text, Duration took);
  std::optional<Error> take_reservations(const std::string& text, Duration took);
  std::optional<Error> take_partitions(const std::string& text, Duration took);
  void leave_busy_waiting();
  void ask_nodes();
  void ask_jobs();
  void ask_reservations();
  void ask_partitions();
  void end();
  bool takes_shares_away() const;
  bool need_no_reservations() const;
  void tell(const Result<std::shared_ptr<const Census>>& told);

  Worker& worker_;
  Calls& calls_;
  const SlurmClient& commands_;
  const mig::Catalogue* catalogue_;
  std::function<TimePoint()> clock_;
  Taken taken_;
  LookPace pace_;
  Duration gathers_;                           // so long one that asks waits for others
  std::map<NodeName, Pacer::Instant> acting_;  // may ask soon: until then
  std::vector<Asking> waiting_, served_;
  std::shared_ptr<Census> census_;  // under way
  std::shared_ptr<const Census> last_;
  Pacer::Instant began_{}, last_began_{};
  std::uint64_t timer_ = 0;
  std::string config_;
  std::optional<Pacer::Instant> config_read_;
  Parsed<Reservation> reservations_;  // as last read
  std::optional<Pacer::Instant> reservations_read_;
};

}  // namespace tessera::slurm
