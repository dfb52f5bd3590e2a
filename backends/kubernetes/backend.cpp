// The lists and watches of a cluster, and what its API server says of itself.

#include <algorithm>
#include <chrono>
#include <optional>

#include "backends/kubernetes/backend_state.hpp"
#include "backends/kubernetes/explain.hpp"
#include "backends/kubernetes/rights.hpp"
#include "backends/kubernetes/source_asked.hpp"

namespace tessera::kubernetes {
namespace {

using Steady = std::chrono::steady_clock;

constexpr Duration kTick{10000};  // between two looks at what is overdue, and two signs of life of a watch
constexpr Duration kToldAgain{1000};                     // after a change was dropped, since more will be
constexpr std::string_view kSimulated = "+tessera-sim";  // behind the version of `tessera-sim serve`

}  // namespace

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
    case kRefused: return store->refused_pods();
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
    if (which == kQuotas && store->limits_gpus() && !std::exchange(follows_refused, true))
      feeds[kRefused]->go();
  };
  calls.report = [this, which](std::optional<Error> failure, Duration latency, const std::string& note) {
    report(which, std::move(failure), latency, note);
  };
  calls.proxy_words = [this] { return proxy ? proxy->complaint() : std::string(); };
  return calls;
}

void KubernetesBackend::State::go() {
  for (std::size_t i = 0; i < kFeeds; ++i)
    if (i != kRefused || follows_refused) feeds[i]->go();
}

void KubernetesBackend::State::proxy_told(const Status& status) {
  serves = status.ok();
  if (serves) {
    ask_version();
    ask_cluster_id();
    go();
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
  if (failure && failure->hint.empty())
    failure->hint =
        "kubectl, with the same kubeconfig and context, shows what the API server answers; tessera "
        "asks again by itself";
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
  // What could never be read has not begun to fail, and a lost proxy is no answer: what failed before fails
  // on.
  if (none || (!failure && serves))
    failing_since[which].reset();
  else if (failure && !failures[which] && kept[which] && !failing_since[which])
    failing_since[which] = options.clock();
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
                        without + " is not reported: " + to_line({why->what, why->reason, ""}), why->hint,
                        Remark::Kind::other, "", failing_since[i]});
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
  if (follows_refused && !feeds[kRefused]->answered()) return;
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
  store->look_again(readings_last(figures_every()));
  actuator.set_pods(store->kept_back(), failures[kBudgets], store->slurmd_pods());
  tell_pace();
  worker.after(kTick, [this] { tick(); });
}

void KubernetesBackend::State::tell_pace() {
  // Nodes and pods are watched: there is no time between two rounds of these.
  post(PaceReport{meter.calls_per_minute(Steady::now()), Duration(0), figures_every(), measures_every()});
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
  go();
  if (measuring) measure_now();
  store->look_again(readings_last(figures_every()));
}

void KubernetesBackend::State::look_into(const WorkloadId& id, LookedInto told) {
  if (!client) return;
  if (!details)
    details.emplace(
        worker, *client, options.clock,
        PodDetails::Nodes{[this](const std::string& pod, const PodTerms& terms, const PodsBeside& beside) {
                            return store->against_nodes(pod, terms, beside);
                          },
                          [this](const std::string& pod, const PodTerms& terms) {
                            return store->nodes_open_to(pod, terms);
                          }});
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

void KubernetesBackend::look_back_at_sums(TimePoint since) {
  State* state = state_.get();
  state->past.ask_sums(
      state->worker, [state] { return state->prometheus.get(); }, since, state->options.catalogue,
      [state] { state->tell_pace(); });
}

std::vector<history::SumsBefore> KubernetesBackend::take_sums_before() { return state_->past.take_sums(); }

void KubernetesBackend::look_into(const WorkloadId& id, LookedInto told) {
  state_->worker.post([state = state_.get(), id, told = std::move(told)]() mutable {
    state->look_into(id, std::move(told));
  });
}

void KubernetesBackend::refresh() {
  state_->worker.post([state = state_.get()] { state->refresh(); });
}

}  // namespace tessera::kubernetes
