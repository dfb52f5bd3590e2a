// What the GPUs of a cluster measure: asked of Prometheus where a site has it, else of each node's exporter.
#include <fmt/format.h>

#include <algorithm>

#include "backends/kubernetes/backend_state.hpp"
#include "backends/kubernetes/explain.hpp"

namespace tessera::kubernetes {

Duration KubernetesBackend::State::measures_every() const {
  if (options.every > Duration(0)) return std::max(options.every, Duration(1000));
  return pace == Pace::focused ? kMeasuredFocused : kMeasuredIdle;
}

// Between two figures of a node that is on no screen, at the most.
Duration KubernetesBackend::State::figures_every() const {
  return prometheus_tells || !exporters ? measures_every() : exporters->round();
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
  for (const figures::NodeReadings& one : now.nodes) faults.keep(one.node.node, one.readings);
  exporter_remarks = faults_so_far();
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

std::vector<Remark> KubernetesBackend::State::faults_so_far() {
  faults.forget([this](const std::string& node) { return !store->lists(node); });
  return faults.remarks();
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
    if (prometheus) faults.keep(exporter.node, readings);
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
  // Of nodes whose exporter gives no answer, too, what Prometheus told before it failed.
  for (Remark& fault : faults_so_far())
    if (std::find(exporter_remarks.begin(), exporter_remarks.end(), fault) == exporter_remarks.end())
      exporter_remarks.push_back(std::move(fault));
  tell_measure_remarks();
  check_loaded();
}

}  // namespace tessera::kubernetes
