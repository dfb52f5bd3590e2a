#include "backends/figures/prometheus_backend.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <utility>

#include "backends/figures/faults.hpp"
#include "backends/figures/look_back.hpp"
#include "backends/figures/prometheus.hpp"
#include "backends/meter.hpp"
#include "backends/process.hpp"
#include "backends/worker.hpp"

namespace tessera::figures {
namespace {

constexpr Duration kFocused{20000}, kIdle{120000};

}  // namespace

struct PrometheusBackend::State {
  explicit State(PrometheusOptions wanted) : options(std::move(wanted)), prometheus(worker, calls()) {}

  PrometheusCalls calls();
  template <class What>
  void post(What what) {
    sink->post({options.cluster, options.generation, options.clock(), std::move(what)});
  }

  const PrometheusOptions options;
  EventSink* sink = nullptr;
  // How the last round went; again, where the reader of the past is to be woken.
  void report(SourceReport now) {
    now.cost = meter.cost(Source::dcgm, std::chrono::steady_clock::now());
    last = std::move(now);
    post(*last);
  }
  std::optional<SourceReport> last;
  Meter meter{std::chrono::steady_clock::now(), std::chrono::minutes(1)};
  // Of a node that went down with its fault Prometheus tells nothing more after some minutes.
  Faults faults;
  std::vector<Remark> faulty;  // as posted last

  LookBack past;
  Pace pace = Pace::focused;  // the worker's thread
  Worker worker;
  Processes processes{worker};
  Prometheus prometheus;
};

PrometheusCalls PrometheusBackend::State::calls() {
  PrometheusCalls calls;
  calls.ask = [this](const std::string& path, PrometheusAnswered answered) {
    meter.called(Source::dcgm, std::chrono::steady_clock::now());
    ask_by_command(processes, options.command, options.url + path, "cannot ask Prometheus",
                   [this, answered = std::move(answered)](Result<HttpResponse> result) {
                     if (result)
                       meter.came(Source::dcgm, result->body.size(), std::chrono::steady_clock::now());
                     answered(std::move(result));
                   });
  };
  calls.node_of = node_by_short_name;
  calls.told = [this](const FiguresNow& now, Duration latency) {
    for (const NodeReadings& one : now.nodes) {
      const NodeName node(one.node.node);
      faults.keep(node.text, one.readings);
      if (options.heard) options.heard(node, one.readings);
      post(measured_of(node, one.readings, options.catalogue));
    }
    if (options.listed)
      faults.forget([&](const std::string& node) { return options.listed->has_lost(NodeName(node)); });
    std::vector<Remark> remarks = faults.remarks();
    if (std::exchange(faulty, remarks) != remarks) post(RemarksListed{Source::dcgm, std::move(remarks)});
    std::string note;
    if (now.skipped > 0) note = fmt::format("{} series could not be read: {}", now.skipped, now.problem);
    report(SourceReport{Source::dcgm, std::nullopt, latency, std::move(note)});
  };
  calls.failed = [this](Error error, Duration latency) {
    report(SourceReport{Source::dcgm, std::move(error), latency, ""});
  };
  calls.every = [this] {
    if (options.every > Duration(0)) return options.every;
    return pace == Pace::focused ? kFocused : kIdle;
  };
  calls.clock = options.clock;
  return calls;
}

PrometheusBackend::PrometheusBackend(PrometheusOptions options)
    : state_(std::make_unique<State>(std::move(options))) {}

PrometheusBackend::~PrometheusBackend() { state_->worker.stop(); }

ClusterName PrometheusBackend::name() const { return state_->options.cluster; }

void PrometheusBackend::start(EventSink& sink) {
  state_->worker.post([state = state_.get(), &sink] {
    state->sink = &sink;
    state->prometheus.go();
  });
}

void PrometheusBackend::set_pace(Pace pace) {
  state_->worker.post([state = state_.get(), pace] { state->pace = pace; });
}

void PrometheusBackend::refresh() {
  state_->worker.post([state = state_.get()] { state->prometheus.go(); });
}

void PrometheusBackend::look_back(const NodeName& node, TimePoint since) {
  State* state = state_.get();
  state->past.ask(
      state->worker, [state] { return &state->prometheus; }, node, since, state->options.catalogue,
      [state] {
        if (state->last) state->post(*state->last);
      });
}

std::vector<history::KeptFigures> PrometheusBackend::take_kept() { return state_->past.take(); }

void PrometheusBackend::look_back_at_sums(TimePoint since) {
  State* state = state_.get();
  state->past.ask_sums(
      state->worker, [state] { return &state->prometheus; }, since, state->options.catalogue,
      [state] {
        if (state->last) state->post(*state->last);
      });
}

std::vector<history::SumsBefore> PrometheusBackend::take_sums_before() { return state_->past.take_sums(); }

}  // namespace tessera::figures
