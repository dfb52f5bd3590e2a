// A Slurm cluster: asks scontrol in rounds and posts what it says; changes nodes where a run asks for that.
//
// One thread, one call of Slurm's commands in flight, those of runs (actuator.hpp) included. A round lists
// nodes and jobs; partitions, reservations and the controllers' state come seldom. When an answer is late or
// a call fails, `scontrol ping` (5 ms) reports whether a controller is there before anything that may block
// for long is tried again. Where commands reach the nodes, their drivers are asked once for the GPUs that
// Slurm does not tell. Threads: as Backend says; the clock is called on the backend's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/figures/listed_nodes.hpp"
#include "backends/figures/site_command.hpp"
#include "engine/history/keeps_figures.hpp"
#include "engine/looks_into.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/port.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera::slurm {

class NamedJobs;

struct SlurmOptions {
  std::string conf;                           // a slurm.conf; empty: whatever Slurm's commands find
  std::string cluster;                        // shown instead of ClusterName
  std::string bin;                            // folder of the Slurm commands; empty: PATH
  Duration interval{0};                       // between rounds instead of 10 s focused and 60 s idle; 0: none
  Duration deadline{30000};                   // of one call
  std::uint64_t generation = 1;               // counts up when a cluster is opened again
  const mig::Catalogue* catalogue = nullptr;  // outlives the backend; null: products stay unknown
  std::function<TimePoint()> clock;           // the wall clock
  slurmconf::SlurmSetup said;                 // what the site says of itself; without files
  std::vector<std::string> folders = {
      "/tmp"};       // where a private folder may be made; the first safe one is taken
  std::string user;  // the account that asks: account_name(geteuid())
  // The first picture is complete only with the GPUs of these nodes; nullopt: it does not wait for GPUs.
  // An empty list: of all nodes.
  std::optional<std::vector<NodeName>> needs_boards;
  // Ask at most so many nodes' drivers, then also where Slurm reports the GPUs; nullopt: every one whose
  // GPUs it does not tell.
  std::optional<std::size_t> most_asked;
  // Before the first picture is complete, ask the drivers of so many more nodes, without work, whose GPUs
  // Slurm tells: what it tells may not be what is made there.
  std::optional<std::size_t> most_told;
  std::optional<figures::SiteCommand> exporter;  // asks a node's DCGM exporter; {node} in it
  std::shared_ptr<NamedJobs> named_jobs;         // that another backend hears of; null: exporters alone tell
  std::shared_ptr<figures::ListedNodes> listed;  // which another backend is told of; null: none is
};

class SlurmBackend final : public Backend, public LooksInto, public history::AsksNodes {
 public:
  explicit SlurmBackend(SlurmOptions options);
  ~SlurmBackend() override;

  ClusterName name() const override;
  void start(EventSink& sink) override;  // sink outlives the backend
  void set_pace(Pace pace) override;
  void refresh() override;
  void look_into(const WorkloadId& id, LookedInto told) override;
  void set_viewed(const std::vector<NodeName>& nodes) override;
  void look_at_processes(const NodeName& node) override;
  plan::Actuator* actuator() override;
  LooksInto* looks_into() override { return this; }
  history::AsksNodes* asks_nodes() override { return this; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::slurm
