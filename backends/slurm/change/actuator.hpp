// A Slurm cluster in the hands of runs: looks at a node, and does one thing to it.
//
// The drain's reason is the mark of a run; a reservation named after the run is one, too, where the node must
// stay open for our own steps (srun) or someone else's drain stands. What an admin wrote is never
// overwritten. Slurm's commands go through Calls, one at a time with the reader's. Threads: as Actuator says;
// know() and all work on the worker's thread. Site as last read is swapped as a whole.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>

#include "backends/process.hpp"
#include "backends/slurm/backend.hpp"
#include "backends/slurm/calls.hpp"
#include "backends/slurm/change/look.hpp"
#include "backends/slurm/change/looks_counted.hpp"
#include "backends/slurm/change/node_processes.hpp"
#include "backends/slurm/commands.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::slurm {

class SlurmActuator final : public plan::Actuator {
 public:
  // All of these outlive it; the worker is stopped before it goes. look_again, taken: on the worker, either
  // may be empty; taken: told of each reading of the cluster that runs have caused.
  SlurmActuator(Worker& worker, Processes& processes, Calls& calls, const SlurmOptions& options,
                const SlurmClient& site, std::function<void()> look_again,
                CensusTaker::Taken taken = nullptr);
  ~SlurmActuator() override;

  plan::Means means() const override;
  std::string cluster_id() const override;
  void observe(NodeName node, Told<plan::NodeFacts> told) override;
  void observe_for(NodeName node, const std::set<std::string>& words, Told<plan::NodeFacts> told) override;
  void perform(plan::Order order, Told<Done> told) override;
  void marks(Told<std::vector<plan::MarkedNode>> told) override;
  void look_again() override;
  // Ends the connections to nodes; waits for that, some seconds at most. Not on the worker's thread.
  void close_connections();

  // ClusterFacts::id, as last told. One that was told stands until another one is.
  void know_cluster(const std::string& id);
  // What the reader has found out: Slurm's version, where slurm.conf lies, and what the files say now.
  void know(const std::string& version, const std::string& conf,
            const Result<std::vector<slurmconf::File>>& files);
  // Holds those files against what Slurm runs with: nodes as it reports them, all of them.
  void hold_against(const std::vector<Node>& nodes);
  // What else a reconfigure would make true, for people; empty: nothing, or the files are not known.
  std::vector<Remark> unapplied_remarks(const Shown& shown, const std::vector<Node>& nodes,
                                        const std::vector<Workload>& jobs);
  // The same as know() for files on a config host; `then` is called with them, and with a lock there that
  // no process seems to hold any more. Precondition: Writer::host.
  using KnowFiles =
      std::function<void(Result<std::vector<slurmconf::File>>, std::optional<Remark> stale_lock)>;
  void read_host_files(const std::string& version, const std::string& conf, KnowFiles then);
  // Puts the GPUs of nodes whose driver has been asked into a list of the reader's.
  void lay_known_boards(std::vector<Node>& nodes) const;
  struct Asking {
    std::optional<std::size_t> most;  // so many nodes, those that are down first; nullopt: all
    bool told = false;                // also where Slurm reports the GPUs and no work: it may be mistaken
    // Of those so many; nullopt: all. Which ones goes by the clock: calls five minutes apart ask one part
    // after the other.
    std::optional<std::size_t> most_told = std::nullopt;
  };
  // Asks the drivers of those nodes whose GPUs Slurm does not tell and which are not known yet, some at a
  // time; then calls `then` with whether any was asked. One that could not be asked, or told other GPUs
  // than Slurm offers, is left alone for some minutes, or until Slurm offers something else. Does nothing
  // more while an earlier call is under way.
  void learn_boards(const std::vector<Node>& nodes, Asking asking, std::function<void(bool any)> then);
  // Nodes that no run is changing, whose driver told other GPUs than Slurm offers; and of all that were
  // asked, those where the tool that is to cut them does not work. Where no look was possible, that is said.
  std::vector<Remark> board_remarks(const std::vector<Node>& nodes) const;
  // What its looks at nodes have cost.
  LooksCounted& looks();
  // Told what each look has measured; pids: whose the processes are, null: not asked. Before the first look.
  void on_measured(std::function<void(Measured measured, const JobPids* pids)> told);
  // Which processes have a node's GPUs open (node_processes.hpp); as learn_boards, it asks the node alone.
  NodeProcesses& processes();

 private:
  struct State;
  void observe(LookAt what, Told<plan::NodeFacts> told);
  std::unique_ptr<State> state_;
};

}  // namespace tessera::slurm
