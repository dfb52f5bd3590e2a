// Prometheus beside a cluster that another backend reads: figures of its nodes, asked for by a command of the
// site's. For Slurm; on Kubernetes the cluster's own backend asks, since figures tell it which slices there
// are. Threads: as Backend says; the clock is called on the backend's thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "backends/figures/dcgm.hpp"
#include "backends/figures/listed_nodes.hpp"
#include "backends/figures/site_command.hpp"
#include "engine/history/keeps_figures.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/port.hpp"

namespace tessera::figures {

struct PrometheusOptions {
  ClusterName cluster;
  std::string url;      // the server's root
  SiteCommand command;  // {url} in it
  Duration every{0};    // between two rounds; 0: 20 s, and 2 min while nobody looks
  std::uint64_t generation = 1;
  const mig::Catalogue* catalogue = nullptr;  // outlives the backend; null: a GPU that is cut has no use
  std::function<TimePoint()> clock;           // the wall clock
  // Whatever else wants to hear what a round told of a node; may be empty. Called on the backend's thread.
  std::function<void(const NodeName&, const DcgmReadings&)> heard;
  // What was told of a node's faults stands until it is in none of these; null: until it is told otherwise.
  std::shared_ptr<const ListedNodes> listed;
};

class PrometheusBackend final : public Backend, public history::KeepsFigures {
 public:
  explicit PrometheusBackend(PrometheusOptions options);
  ~PrometheusBackend() override;

  ClusterName name() const override;
  void start(EventSink& sink) override;  // sink outlives the backend
  void set_pace(Pace pace) override;
  void refresh() override;
  void look_back(const NodeName& node, TimePoint since) override;
  std::vector<history::KeptFigures> take_kept() override;
  void look_back_at_sums(TimePoint since) override;
  std::vector<history::SumsBefore> take_sums_before() override;
  history::KeepsFigures* keeps_figures() override { return this; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::figures
