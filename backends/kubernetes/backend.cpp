#include "backends/kubernetes/backend.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "backends/costs_told.hpp"
#include "backends/figures/faults.hpp"
#include "backends/figures/look_back.hpp"
#include "backends/http_client.hpp"
#include "backends/kubernetes/change/actuator.hpp"
#include "backends/kubernetes/details.hpp"
#include "backends/kubernetes/explain.hpp"
#include "backends/kubernetes/exporters.hpp"
#include "backends/kubernetes/feed.hpp"
#include "backends/kubernetes/followed.hpp"
#include "backends/kubernetes/objects/parse.hpp"
#include "backends/kubernetes/rights.hpp"
#include "backends/kubernetes/source_asked.hpp"
#include "backends/kubernetes/store.hpp"
#include "backends/meter.hpp"
#include "backends/worker.hpp"

namespace tessera::kubernetes {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration kTick{10000};  // between two looks at what is overdue, and two signs of life of a watch
constexpr Duration kToldAgain{1000};  // after a change was dropped, since more will be
constexpr Duration kFocused{60000}, kIdle{300000};
constexpr Duration kMeasuredFocused{20000}, kMeasuredIdle{120000};
constexpr Duration kMeasuresLast{300000};
constexpr std::string_view kSimulated = "+tessera-sim";  // behind the version of `tessera-sim serve`
constexpr Duration kPaceAtLeast{60000};                  // a start is not taken for a habit

}  // namespace

struct KubernetesBackend::State {
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
  void measured(std::size_t answered, Duration latency, std::vector<Remark> remarks);
  void begin_prometheus();
  void prometheus_told(figures::FiguresNow now, Duration latency);
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
  std::array<std::optional<Error>, kFeeds> failures;
  std::array<std::string, kFeeds> notes;  // what the last list left out
  std::array<bool, kFeeds> kept{};        // of those beside: a list was complete, and what it held is shown
  Parser parser;
  std::string version;        // of the API server
  std::string versions_told;  // with the operator's, as posted last
  std::string id_told;        // beside them
  std::size_t dropped = 0;    // by the sink, as far as it was told again
  bool tells_again = false;   // ... or will be
  Meter meter{Steady::now(), kPaceAtLeast};
  CostsTold reported{[this](Source source) { return meter.cost(source, Steady::now()); },
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
  std::vector<Remark> exporter_remarks;  // of their last round
  std::optional<Remark> prometheus_remark;
  std::vector<Remark> measure_remarks;  // both, as posted last
  figures::LookBack past;
};

ActuatorOptions KubernetesBackend::State::actuator_options() {
  return {options.catalogue, options.clock,
          [this](std::shared_ptr<const operators::OperatorSetup> site) {
            site_known = true;
            review(*site);
            store->set_site(std::move(site));
            check_loaded();
          },
          [this] { refresh(); }};
}

// Once: the console has no need of it, since a run asks for just what it needs.
void KubernetesBackend::State::review(const operators::OperatorSetup& site) {
  if (!options.review_rights || std::exchange(reviewing, true)) return;
  review_rights(*client, rights_to_change(site), [this](std::optional<Remark> missing) {
    rights_known = true;
    store->set_missing_rights(std::move(missing));
    check_loaded();
  });
}

void KubernetesBackend::State::begin() {
  meter = Meter(Steady::now(), kPaceAtLeast);
  post(ClusterSeen{Scheduler::kubernetes, false, "", options.server.empty() ? name.text : options.server});
  store.emplace(
      options.catalogue,
      [this](ClusterStore::What what) {
        post(std::move(what));
        tell_what_was_dropped();
      },
      options.clock);
  worker.after(kTick, [this] { tick(); });
  if (!options.socket.empty()) {
    connect(options.socket);
    return proxy_told(Done{});
  }
  proxy.emplace(worker, processes, options.proxy);
  connect(proxy->socket());
  proxy->start([this](const Status& status) { proxy_told(status); });
}

// Every request is counted where it is sent, whoever asks.
void KubernetesBackend::State::connect(const std::string& socket) {
  client.emplace(worker, HttpEndpoint{socket, "", 0});
  count_into(meter, *client);
  actuator.connect(*client);
  follow();
}

ClusterStore::Handler KubernetesBackend::State::handler_of(Which which) {
  switch (which) {
    case kNodes: return store->nodes();
    case kPods: return store->pods();
    case kDaemonSets: return store->daemon_sets();
    case kPolicies: return store->cluster_policies();
    case kBudgets: return store->budgets();
    case kSlices: return store->dra_slices();
    case kClaims: return store->dra_claims();
    case kQuotas: return store->quotas();
    case kDeviceRules: return store->device_rules();
    case kKueue: return store->kueue_workloads();
    default: return store->events();
  }
}

void KubernetesBackend::State::follow() {
  for (std::size_t i = 0; i < kFeeds; ++i) {
    auto which = static_cast<Which>(i);
    ClusterStore::Handler handler = handler_of(which);
    const Followed& one = kFollowed[i];
    FeedSpec spec{one.path, one.older, one.query, one.what, nullptr, one.most};
    if (!one.watched) spec.every = [this] { return every(); };
    feeds[i] = std::make_unique<Feed>(worker, *client, std::move(spec), calls_for(which, std::move(handler)));
  }
  exporters = std::make_unique<Exporters>(worker, *client, exporter_calls());
  exporters->set_viewed(viewed);
  if (options.prometheus) begin_prometheus();
}

Duration KubernetesBackend::State::measures_every() const {
  if (options.every > Duration(0)) return std::max(options.every, Duration(1000));
  return pace == Pace::focused ? kMeasuredFocused : kMeasuredIdle;
}

// Prometheus goes before the exporters: one question instead of one to each node. While it fails, they are
// asked.
void KubernetesBackend::State::begin_prometheus() {
  figures::PrometheusCalls calls;
  calls.ask = [this, root = options.prometheus->target()](const std::string& path,
                                                          figures::PrometheusAnswered answered) {
    HttpCall request;
    request.target = root + path;
    request.deadline = figures::kPrometheusAnswer;
    request.limit = figures::kMostPrometheus;
    client->request(std::move(request), [this, answered = std::move(answered)](Result<HttpResponse> result) {
      const std::string doing = "get services/proxy in namespace " + options.prometheus->name_space;
      if (!result) return answered(explain_silence(doing, result.error(), ""));
      // The API server's own refusal, in its words; what Prometheus itself says is read by who asks.
      if (result->status != 200 && parser.status(result->body))
        return answered(explain_response(doing, *result, parser, ""));
      answered(std::move(result));
    });
  };
  calls.node_of = [this](const figures::MetricLine& series) { return store->node_of_series(series); };
  calls.told = [this](figures::FiguresNow now, Duration latency) {
    prometheus_told(std::move(now), latency);
  };
  calls.failed = [this](const Error& error, Duration) {
    prometheus_remark = Remark{
        Remark::Grade::warning, "Prometheus", false,
        "figures are asked for at each exporter: " + to_line({error.what, error.reason, ""}), error.hint};
    prometheus_tells = false;
    tell_measure_remarks();
    exporters->go();
  };
  calls.every = [this] { return measures_every(); };
  calls.clock = options.clock;
  prometheus = std::make_unique<figures::Prometheus>(worker, std::move(calls));
}

void KubernetesBackend::State::prometheus_told(figures::FiguresNow now, Duration latency) {
  exporter_remarks = figures::faults_of(now);
  for (figures::NodeReadings& one : now.nodes) store->set_readings(one.node.node, std::move(one.readings));
  tell(SourceReport{Source::dcgm, std::nullopt, latency, ""});
  prometheus_tells = true;
  exporters->rest();
  prometheus_remark.reset();
  if (now.skipped > 0)
    prometheus_remark = Remark{Remark::Grade::info, "Prometheus", false,
                               fmt::format("{} series could not be read: {}", now.skipped, now.problem), ""};
  tell_measure_remarks();
  check_loaded();
}

void KubernetesBackend::State::tell_measure_remarks() {
  std::vector<Remark> all = exporter_remarks;
  if (prometheus_remark) all.insert(all.begin(), *prometheus_remark);
  if (all == measure_remarks) return;
  measure_remarks = all;
  post(RemarksListed{Source::dcgm, std::move(all)});
}

// Nodes without figures, and without GPUs that only exporters tell, are not nodes that have none. What the
// next round remarks takes its place.
void KubernetesBackend::State::tell_late_measures() {
  if (!prometheus && store->exporters().empty()) return;
  exporter_remarks = {Remark{Remark::Grade::info, "DCGM exporter", false,
                             fmt::format("figures of GPUs have not come within {} s",
                                         options.measures_within / std::chrono::seconds(1)),
                             "a command waits a third of --timeout for them"}};
  tell_measure_remarks();
}

void KubernetesBackend::State::measure_now() {
  if (prometheus) prometheus->go();
  if (!prometheus || (prometheus->has_rounds() && !prometheus_tells)) exporters->go();
}

bool KubernetesBackend::State::measured_once() const { return exporters->has_rounds() || prometheus_tells; }

ExporterCalls KubernetesBackend::State::exporter_calls() {
  ExporterCalls calls;
  calls.where = [this] {
    std::vector<Exporter> all = store->exporters();
    std::stable_partition(all.begin(), all.end(), [this](const Exporter& one) {
      const auto& first = options.measured_first;
      return std::find(first.begin(), first.end(), one.node) != first.end();
    });
    return all;
  };
  calls.told = [this](const Exporter& exporter, DcgmReadings readings) {
    store->set_readings(exporter.node, std::move(readings));
  };
  calls.round = [this](std::size_t answered, Duration latency, std::vector<Remark> remarks) {
    measured(answered, latency, std::move(remarks));
  };
  calls.every = [this] { return measures_every(); };
  calls.others = [this] { return options.every > Duration(0) ? measures_every() : kMeasuredIdle; };
  calls.clock = options.clock;
  return calls;
}

void KubernetesBackend::State::measured(std::size_t answered, Duration latency, std::vector<Remark> remarks) {
  if (answered > 0) tell(SourceReport{Source::dcgm, std::nullopt, latency, ""});
  exporter_remarks = std::move(remarks);
  tell_measure_remarks();
  check_loaded();
}

FeedCalls KubernetesBackend::State::calls_for(Which which, ClusterStore::Handler handler) {
  FeedCalls calls;
  calls.begin = std::move(handler.begin);
  calls.page = std::move(handler.page);
  calls.line = std::move(handler.line);
  calls.listed = [this, which, listed = std::move(handler.listed)](Duration) {
    if (proxy) proxy->forget();
    if (which == kNodes) {
      ask_version();
      ask_cluster_id();
    }
    listed();
    kept[which] = true;
    if (which == kPolicies) tell_versions();
  };
  calls.report = [this, which](std::optional<Error> failure, Duration latency, const std::string& note) {
    report(which, std::move(failure), latency, note);
  };
  calls.proxy_words = [this] { return proxy ? proxy->complaint() : std::string(); };
  return calls;
}

void KubernetesBackend::State::proxy_told(const Status& status) {
  serves = status.ok();
  if (serves) {
    ask_version();
    ask_cluster_id();
    for (auto& feed : feeds) feed->go();
    if (measuring) measure_now();
    actuator.read_site();
    return;
  }
  exporters->rest();
  if (prometheus) prometheus->rest();
  for (std::size_t i = 0; i < kFeeds; ++i) {
    feeds[i]->rest();
    report(static_cast<Which>(i), status.error(), Duration(0), "");
  }
  if (!std::exchange(loaded, true)) post(Loaded{});
}

void KubernetesBackend::State::ask_version() {
  HttpCall request;
  request.target = "/version";
  client->request(std::move(request), [this](Result<HttpResponse> result) {
    if (result && result->date) store->set_server_time(*result->date);
    if (result && result->status == 200) version = parser.version(result->body);
    tell_versions();
    clock_known = true;
    check_loaded();
  });
}

void KubernetesBackend::State::ask_cluster_id() {
  actuator.read_cluster_id([this] {
    tell_versions();
    id_known = true;
    check_loaded();
  });
}

void KubernetesBackend::State::tell_versions() {
  if (version.empty()) return;
  std::string told = version;
  bool simulated = told.ends_with(kSimulated);
  if (simulated) told.resize(told.size() - kSimulated.size());
  told = "kubernetes " + told;
  if (std::string gpus = store->operator_version(); !gpus.empty()) told += ", GPU operator " + gpus;
  if (std::string shares = store->sharing_component(); !shares.empty())
    told += ", sharing component " + shares;
  std::string id = actuator.cluster_id();
  if (told == versions_told && id == id_told) return;
  versions_told = told, id_told = id;
  post(ClusterSeen{Scheduler::kubernetes, simulated, std::move(told),
                   options.server.empty() ? name.text : options.server, std::move(id)});
}

void KubernetesBackend::State::report(Which which, std::optional<Error> failure, Duration latency,
                                      const std::string& note) {
  // A cluster without the GPU operator has no ClusterPolicy: that is no failure.
  if (which == kPolicies && failure && failure->reason.find("HTTP 404") != std::string::npos) failure.reset();
  if (*kFollowed[which].without != '\0') return report_beside(which, std::move(failure), latency, note);
  failures[which] = std::move(failure);
  // Two lists make up one source: it fails when either does.
  std::optional<Error> worst;
  for (std::size_t i = 0; i < kFeeds; ++i)
    if (kFollowed[i].source == kFollowed[which].source && *kFollowed[i].without == '\0' && failures[i] &&
        !worst)
      worst = failures[i];
  notes[which] = note;
  tell(source_report(which, std::move(worst), latency));
  check_loaded();
}

// What one of its lists left out, its source left out.
SourceReport KubernetesBackend::State::source_report(Which which, std::optional<Error> failure,
                                                     Duration latency) const {
  SourceReport report{kFollowed[which].source, std::move(failure), latency, ""};
  for (std::size_t i = 0; i < kFeeds; ++i) {
    if (kFollowed[i].source != report.source || *kFollowed[i].without != '\0' || notes[i].empty()) continue;
    report.note += (report.note.empty() ? "" : "; ") + notes[i];
    report.incomplete = true;
  }
  return report;
}

// Without these the rest is as good as ever: remarks say what is not reported, and that is all.
void KubernetesBackend::State::report_beside(Which which, std::optional<Error> failure, Duration latency,
                                             const std::string& note) {
  // A source of these alone is named once it has answered; it never fails.
  if (!failure && kFollowed[which].source == Source::kubernetes_claims)
    tell(SourceReport{Source::kubernetes_claims, std::nullopt, latency, ""});
  // A server that has none of them is no failure; one that is out of reach says so elsewhere.
  const bool none = failure && failure->reason.find("HTTP 404") != std::string::npos;
  if (none) forget_beside(which);
  if (none || !serves) failure.reset();
  failures[which] = std::move(failure);
  notes[which] = note;
  if (which == kKueue) store->set_kueue_read(!failures[which]);
  store->set_untold(kFollowed[which].source, untold_of(kFollowed[which].source));
  check_loaded();
}

// What is served no longer (Kueue was removed, and its kinds with it) is gone: an empty list says so.
void KubernetesBackend::State::forget_beside(Which which) {
  if (!std::exchange(kept[which], false)) return;
  const ClusterStore::Handler handler = handler_of(which);
  handler.begin();
  handler.listed();
}

// Of each list on its own: a reader who may not read one of them has a right to know of the others, too.
std::vector<Remark> KubernetesBackend::State::untold_of(Source source) const {
  std::vector<Remark> untold;
  for (std::size_t i = 0; i < kFeeds; ++i) {
    const Followed& one = kFollowed[i];
    if (*one.without == '\0' || one.source != source) continue;
    const std::string without = one.without;
    if (const std::optional<Error>& why = failures[i])
      untold.push_back({Remark::Grade::info, one.what, false,
                        without + " is not reported: " + to_line({why->what, why->reason, ""}), why->hint});
    else if (!notes[i].empty())
      untold.push_back(
          {Remark::Grade::info, one.what, false, without + " is not all reported: " + notes[i], ""});
  }
  return untold;
}

void KubernetesBackend::State::check_loaded() {
  if (loaded && measuring) return;
  for (Which which : {kNodes, kPods, kDaemonSets, kBudgets, kSlices, kClaims, kQuotas, kKueue})
    if (!feeds[which] || !feeds[which]->answered()) return;
  // A plan needs the first and the last, what is judged by its age the clock.
  if (!site_known || !clock_known || !id_known) return;
  if (options.review_rights && !rights_known) return;
  // Which exporters there are is known only now.
  if (!std::exchange(measuring, true)) {
    worker.after(options.measures_within, [this] {
      waited_for_measures = true;
      check_loaded();
    });
    return measure_now();
  }
  if (loaded || (!measured_once() && !waited_for_measures)) return;
  if (!measured_once()) tell_late_measures();
  loaded = true;
  actuator.set_pods(store->kept_back(), failures[kBudgets], store->slurmd_pods());
  tell_pace();  // a command prints what is known then
  post(Loaded{});
}

// A watch that is open is a sign of life: the data is as fresh as can be.
void KubernetesBackend::State::tick() {
  for (Which which : {kNodes, kPods})
    if (feeds[which]->is_live() && !failures[which]) tell(source_report(which, std::nullopt, Duration(0)));
  // A login program may wait for its user while no request is answered.
  if (proxy && serves && !feeds[kNodes]->answered() && !proxy->complaint().empty())
    report(kNodes,
           Error{"the cluster has not answered yet", "kubectl reports: " + proxy->complaint(),
                 "follow it: tessera goes on as soon as kubectl is logged in"},
           Duration(0), "");
  // At the latest it is asked again behind the round under way, at the end of its own.
  store->look_again(std::max(kMeasuresLast, kMeasuredIdle + 2 * exporters->round_took()));
  actuator.set_pods(store->kept_back(), failures[kBudgets], store->slurmd_pods());
  tell_pace();
  worker.after(kTick, [this] { tick(); });
}

void KubernetesBackend::State::tell_pace() {
  post(PaceReport{meter.calls_per_minute(Steady::now()), Duration(0)});
  reported.tell_again();
}

// A change that is lost comes through no watch again: the lists that the store keeps are posted instead.
void KubernetesBackend::State::tell_what_was_dropped() {
  if (tells_again || sink->dropped() == dropped) return;
  tells_again = true;
  worker.after(kToldAgain, [this] {
    tells_again = false;
    dropped = sink->dropped();
    store->tell_all();
  });
}

void KubernetesBackend::State::refresh() {
  if (!serves) return;
  for (auto& feed : feeds) feed->go();
  if (measuring) measure_now();
  store->look_again();
}

void KubernetesBackend::State::look_into(const WorkloadId& id, LookedInto told) {
  if (!client) return;
  if (!details) details.emplace(worker, *client, options.clock);
  details->look(id.text, store->is_of_kueue(id.text), [this, told = std::move(told)](Details read) {
    told(std::move(read));
    tell_pace();
  });
}

KubernetesBackend::KubernetesBackend(KubernetesOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

KubernetesBackend::~KubernetesBackend() { state_->worker.stop(); }

ClusterName KubernetesBackend::name() const { return state_->name; }

plan::Actuator* KubernetesBackend::actuator() { return &state_->actuator; }

void KubernetesBackend::start(EventSink& sink) {
  state_->worker.post([state = state_.get(), &sink] {
    state->sink = &sink;
    state->begin();
  });
}

void KubernetesBackend::set_pace(Pace pace) {
  state_->worker.post([state = state_.get(), pace] { state->pace = pace; });
}

void KubernetesBackend::set_viewed(const std::vector<NodeName>& nodes) {
  state_->worker.post([state = state_.get(), nodes] {
    state->viewed = nodes;
    if (state->exporters) state->exporters->set_viewed(nodes);
  });
}

void KubernetesBackend::look_back(const NodeName& node, TimePoint since) {
  State* state = state_.get();
  state->past.ask(
      state->worker, [state] { return state->prometheus.get(); }, node, since, state->options.catalogue,
      [state] { state->tell_pace(); });
}

std::vector<history::KeptFigures> KubernetesBackend::take_kept() { return state_->past.take(); }

void KubernetesBackend::look_into(const WorkloadId& id, LookedInto told) {
  state_->worker.post([state = state_.get(), id, told = std::move(told)]() mutable {
    state->look_into(id, std::move(told));
  });
}

void KubernetesBackend::refresh() {
  state_->worker.post([state = state_.get()] { state->refresh(); });
}

}  // namespace tessera::kubernetes
