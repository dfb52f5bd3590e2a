// A Kubernetes cluster: lists, then watches, through kubectl proxy, and posts what it sees.
//
// One thread; everything on it is asynchronous. Nodes and pods are watched; the GPU operator's DaemonSets and
// its ClusterPolicy are listed once a minute while a user looks. Each resource may be forbidden on its own:
// its source then fails with verb and resource, and the rest is shown. docs/kubernetes.md says what is read.
// Threads: as Backend says; the clock is called on the backend's thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/figures/places.hpp"
#include "backends/kubernetes/proxy.hpp"
#include "engine/history/keeps_figures.hpp"
#include "engine/looks_into.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/port.hpp"

namespace tessera::kubernetes {

struct KubernetesOptions {
  std::string cluster;             // the name shown: its context's
  std::string server;              // as the kubeconfig names it; for words only
  ProxyOptions proxy;              // the way to it
  std::string socket;              // a Unix socket to speak to instead of a proxy of our own
  Duration every{0};               // between two lists of what is not watched; 0: 60 s or 5 min
  Duration measures_within{3000};  // so long the first picture waits for the exporters
  std::optional<figures::ServicePlace> prometheus;  // asked instead of the exporters
  bool review_rights = false;                 // ask whether we may change nodes, and remark what is missing
  std::vector<std::string> measured_first;    // nodes whose exporters are asked before the others
  std::uint64_t generation = 1;               // counts up when a cluster is opened again
  const mig::Catalogue* catalogue = nullptr;  // outlives the backend; null: products stay unknown
  std::function<TimePoint()> clock;           // the wall clock
};

class KubernetesBackend final : public Backend,
                                public history::KeepsFigures,
                                public history::AsksNodes,
                                public LooksInto {
 public:
  explicit KubernetesBackend(KubernetesOptions options);
  ~KubernetesBackend() override;

  ClusterName name() const override;
  void start(EventSink& sink) override;  // sink outlives the backend
  void set_pace(Pace pace) override;
  void refresh() override;
  void look_back(const NodeName& node, TimePoint since) override;
  std::vector<history::KeptFigures> take_kept() override;
  void look_back_at_sums(TimePoint since) override;
  std::vector<history::SumsBefore> take_sums_before() override;
  void set_viewed(const std::vector<NodeName>& nodes) override;
  void look_into(const WorkloadId& id, LookedInto told) override;
  plan::Actuator* actuator() override;
  LooksInto* looks_into() override { return this; }
  history::KeepsFigures* keeps_figures() override { return this; }
  history::AsksNodes* asks_nodes() override { return this; }

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::kubernetes
