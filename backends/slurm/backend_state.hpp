// What a Slurm backend keeps between its rounds, and its steps. Private to backends/slurm/backend*.cpp.
// Threads: made on the owner's thread, then used on the worker's alone; the constants and `leaving` are for
// both.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/costs_told.hpp"
#include "backends/figures/node_exporters.hpp"
#include "backends/process.hpp"
#include "backends/slurm/backend.hpp"
#include "backends/slurm/change/actuator.hpp"
#include "backends/slurm/change/conf_files.hpp"
#include "backends/slurm/change/job_parts.hpp"
#include "backends/slurm/commands.hpp"
#include "backends/slurm/daemons.hpp"
#include "backends/slurm/details.hpp"
#include "backends/slurm/find_slurm.hpp"
#include "backends/slurm/pace.hpp"
#include "backends/slurm/round.hpp"
#include "backends/worker.hpp"

namespace tessera::slurm {

using Steady = std::chrono::steady_clock;

constexpr auto kSeldom = std::chrono::minutes(5);  // between two looks at what seldom changes

struct SlurmBackend::State {
  explicit State(SlurmOptions wanted)
      : options(std::move(wanted)),
        conf(read_conf(options.conf.empty() ? find_slurm_conf().value_or("") : options.conf)),
        site{options.conf, options.bin, options.deadline},
        name(!options.cluster.empty()     ? options.cluster
             : !conf.cluster_name.empty() ? conf.cluster_name
                                          : "slurm"),
        pacer(options.interval, Steady::now()),
        named_jobs(options.named_jobs ? options.named_jobs : std::make_shared<NamedJobs>()) {}

  void introduce();
  void begin();
  void step();
  void ask(Step step);
  void answered(Step step, Duration patience, Result<Outcome> result);
  std::optional<Error> take(Step step, const Outcome& outcome);
  std::optional<Error> take_config(const Outcome& outcome);
  void take_ping(const Result<Outcome>& result);
  void nobody_there(Error error);
  void ping_unanswered();
  void take_accounting(const Result<Outcome>& result);
  void show_daemons();
  void munge_fails(Error error);
  void look_at_files();
  void look_at_host_files();
  void tell_files(const Result<std::vector<slurmconf::File>>& found);
  void post_file_remarks();
  void hold_all_against();
  void end();
  void tell_loaded();
  void learn_boards();
  void tell_listed();
  void ask_exporters();
  void pause();
  void wake_after(Duration delay);
  void set_pace(Pace pace);
  void refresh();
  void look_into(const WorkloadId& id, LookedInto told);
  void look_at_processes(const NodeName& node);
  void look_at_strangers(const Measured& measured);
  void take_processes(const NodeName& node, Result<ProcessesTold> told);
  bool tells_all(const NodeName& node, const JobPids* pids) const;
  void take_measured(Measured measured, const JobPids* pids);
  void post_board_remarks();
  void lay_boards(std::vector<Node>& nodes);
  void look_at_once();
  void take_census(const Census& told);
  bool was_given(Step step);

  template <class What>
  void post(What what) {
    sink->post({name, options.generation, options.clock(), std::move(what)});
  }
  void report(Source source, std::optional<Error> failure, Duration latency = {}, std::string note = {},
              bool incomplete = false) {
    reported.tell(
        SourceReport{source, std::move(failure), latency, std::move(note), incomplete, std::nullopt},
        options.clock());
  }
  void tell_costs();
  std::optional<SourceCost> cost_of(Source source);
  void tell_looks(Source source);
  Origin origin(Source source) const { return {source, options.clock()}; }

  const SlurmOptions options;
  const Conf conf;
  const SlurmClient site;
  const ClusterName name;
  EventSink* sink = nullptr;
  std::atomic<bool> leaving = false;  // set by the owner: a long answer is read no further

  // What follows belongs to the worker's thread.
  Pacer pacer;
  Round round;
  std::map<Step, Duration> usual;  // latency of the last good answer
  CostsTold reported{[this](Source source) { return cost_of(source); },
                     [this](TimePoint at, SourceReport report) {
                       sink->post({name, options.generation, at, std::move(report)});
                     }};
  struct Given {
    Steady::time_point at;
    Duration took;
  };
  std::map<Step, Given> given;  // lists that looks of runs have brought since the last round
  Daemons daemons;
  ConfWatch files;
  std::uint64_t gres = 0, held_against = 0;     // as listed last; that against which the files were held last
  std::optional<Steady::time_point> host_read;  // when the files on a config host were looked at
  ClusterFacts facts;
  std::string client;  // "slurm-wlm 22.05.8", as scontrol calls itself
  bool busy = false;
  bool once_more = false;  // what is under way may already be old
  bool loaded = false;
  int rounds = 0;
  Steady::time_point started{};
  Duration in_calls{0};
  std::optional<Steady::time_point> last_seldom;
  std::uint64_t timer = 0;
  Steady::time_point wakes_at{};                     // when it fires
  std::vector<Node> last_nodes;                      // the last list, before GPUs were laid over it
  std::vector<Remark> board_remarks;                 // as posted last
  const std::shared_ptr<NamedJobs> named_jobs;       // as exporters tell
  std::map<NodeName, Steady::time_point> suspected;  // when such a node was asked last
  struct Untold {
    Steady::time_point at;
    std::vector<Remark> remarks;
  };
  std::map<NodeName, Untold> process_remarks;  // what of a node's processes is not told, and why
  struct Openers {
    Steady::time_point at;
    std::vector<nvidia::Opener> list;
    BoardMinors minors;
  };
  std::map<NodeName, Openers> openers;                  // of no job, on nodes that were asked of late
  std::vector<Remark> file_remarks, unapplied_remarks;  // as posted last, together
  Shown shown;                                          // the last answers
  int config_round = 0, partitions_round = 0;           // in which they came
  std::vector<Workload> last_jobs;
  JobNumbers job_numbers;            // of these
  std::optional<Remark> stale_lock;  // beside slurm.conf, when it was last looked at

  Worker worker;
  Processes processes{worker};
  std::optional<figures::NodeExporters> exporters;
  std::vector<Remark> exporter_remarks;  // as posted last
  std::vector<NodeName> viewed;          // on screen
  Calls calls{processes, pacer};
  DetailsReader details{worker, calls, site, options.clock};
  SlurmActuator actuator{worker,
                         processes,
                         calls,
                         options,
                         site,
                         [this] { look_at_once(); },
                         [this](const Census& told) { take_census(told); }};
};

}  // namespace tessera::slurm
