// What the Kubernetes backend keeps: backend.cpp follows the lists of the cluster, backend_measures.cpp asks
// exporters and Prometheus. Threads: the worker's, but for what stands before its thread begins.
#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "backends/costs_told.hpp"
#include "backends/figures/faults.hpp"
#include "backends/figures/look_back.hpp"
#include "backends/figures/prometheus.hpp"
#include "backends/http_client.hpp"
#include "backends/kubernetes/backend.hpp"
#include "backends/kubernetes/change/actuator.hpp"
#include "backends/kubernetes/details.hpp"
#include "backends/kubernetes/exporters.hpp"
#include "backends/kubernetes/feed.hpp"
#include "backends/kubernetes/followed.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/store.hpp"
#include "backends/meter.hpp"
#include "backends/worker.hpp"

namespace tessera::kubernetes {

struct KubernetesBackend::State {
  // Between two lists of what is not watched, and between two rounds of the exporters.
  static constexpr Duration kFocused{60000}, kIdle{300000};
  static constexpr Duration kMeasuredFocused{20000}, kMeasuredIdle{120000};
  static constexpr Duration kPaceAtLeast{60000};  // a start is not taken for a habit

  explicit State(KubernetesOptions wanted)
      : options(std::move(wanted)), name(options.cluster.empty() ? "kubernetes" : options.cluster) {}

  ActuatorOptions actuator_options();
  void review(const operators::OperatorSetup& site);
  void begin();
  void refresh();
  void look_into(const WorkloadId& id, LookedInto told);
  void connect(const std::string& socket);
  void tell(SourceReport report) { reported.tell(std::move(report), options.clock()); }
  void tell_pace();
  ClusterStore::Handler handler_of(Which which);
  void follow();
  void go();
  FeedCalls calls_for(Which which, ClusterStore::Handler handler);
  void proxy_told(const Status& status);
  void ask_version();
  void ask_cluster_id();
  void tell_versions();
  void report(Which which, std::optional<Error> failure, Duration latency, const std::string& note);
  SourceReport source_report(Which which, std::optional<Error> failure, Duration latency) const;
  void report_beside(Which which, std::optional<Error> failure, Duration latency, const std::string& note);
  void forget_beside(Which which);
  std::vector<Remark> untold_of(Source source) const;
  void check_loaded();
  ExporterCalls exporter_calls();
  Duration measures_every() const;
  Duration figures_every() const;
  void measured(std::size_t answered, Duration latency, std::vector<Remark> remarks);
  void begin_prometheus();
  void prometheus_told(figures::FiguresNow now, Duration latency);
  std::vector<Remark> faults_so_far();
  void tell_measure_remarks();
  void tell_late_measures();
  void measure_now();
  bool measured_once() const;
  void tick();
  void tell_what_was_dropped();
  Duration every() const {
    return options.every > Duration(0) ? options.every : pace == Pace::focused ? kFocused : kIdle;
  }

  template <class What>
  void post(What what) {
    sink->post({name, options.generation, options.clock(), std::move(what)});
  }

  const KubernetesOptions options;
  const ClusterName name;
  EventSink* sink = nullptr;

  // What follows belongs to the worker's thread.
  Pace pace = Pace::focused;
  bool loaded = false;
  bool serves = false;
  bool follows_refused = false;  // since a quota limits GPUs
  std::array<std::optional<Error>, kFeeds> failures;
  std::array<std::optional<TimePoint>, kFeeds> failing_since;  // of those beside: once they could be read
  std::array<std::string, kFeeds> notes;                       // what the last list left out
  std::array<bool, kFeeds> kept{};  // of those beside: a list was complete, and what it held is shown
  Parser parser;
  std::string version;        // of the API server
  std::string versions_told;  // with the operator's, as posted last
  std::string id_told;        // beside them
  std::size_t dropped = 0;    // by the sink, as far as it was told again
  bool tells_again = false;   // ... or will be
  Meter meter{std::chrono::steady_clock::now(), kPaceAtLeast};
  CostsTold reported{[this](Source source) { return meter.cost(source, std::chrono::steady_clock::now()); },
                     [this](TimePoint at, SourceReport report) {
                       sink->post({name, options.generation, at, std::move(report)});
                     }};

  Worker worker;
  Processes processes{worker};
  std::optional<Proxy> proxy;
  std::optional<HttpClient> client;
  std::optional<ClusterStore> store;
  bool site_known = false;
  bool reviewing = false, rights_known = false;
  bool clock_known = false;  // of the API server, or it did not tell
  bool id_known = false;     // of the cluster, or it did not tell
  KubernetesActuator actuator{worker, actuator_options()};
  std::array<std::unique_ptr<Feed>, kFeeds> feeds;
  std::unique_ptr<Exporters> exporters;
  std::vector<NodeName> viewed;  // nodes on screen
  std::unique_ptr<figures::Prometheus> prometheus;
  std::optional<PodDetails> details;
  bool prometheus_tells = false;  // its last answer was good: the exporters are left alone
  bool measuring = false;         // the exporters were asked at least once
  bool waited_for_measures = false;
  // As Prometheus told last of each node, and exporters while it fails. Of a node that went down with its
  // fault Prometheus tells nothing more after some minutes.
  figures::Faults faults;
  std::vector<Remark> exporter_remarks;  // of their last round
  std::optional<Remark> prometheus_remark;
  std::vector<Remark> measure_remarks;  // both, as posted last
  figures::LookBack past;
};

}  // namespace tessera::kubernetes
