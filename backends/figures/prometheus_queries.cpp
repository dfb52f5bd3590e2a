#include "backends/figures/prometheus_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>

#include "backends/http_client.hpp"

namespace tessera::figures {
namespace {

constexpr std::array<std::string_view, 8> kNodeLabels = {
    "node",          "kubernetes_node", "Hostname",          "hostname",
    "exported_node", "nodename",        "exported_instance", "instance"};
// All that dcgm.cpp looks at; the rest (driver, device, job, container) would be half of the answer.
constexpr std::string_view kKept =
    "gpu,GPU,UUID,uuid,modelName,model_name,GPU_I_ID,gpu_i_id,GPU_I_PROFILE,gpu_i_profile,exported_namespace,"
    "exported_pod,namespace,pod,pod_namespace,pod_name";
// Whose a series is now. Of the past it would be a series more for each job that was.
constexpr std::string_view kJob = "hpc_job";
constexpr std::string_view kTimeLabel = "tessera";
constexpr std::string_view kDated =
    "DCGM_FI_DEV_FB_USED";  // in the exporter's default counters of all versions

std::string node_labels() { return fmt::format("{}", fmt::join(kNodeLabels, ",")); }
std::string part_labels() { return fmt::format("{},{}", kKept, node_labels()); }

// As a string of PromQL.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

std::string figures_query(const std::string& labels, const std::string& more_matchers) {
  return fmt::format(R"(max by (__name__,{}) ({{__name__=~"{}"{}}}))", labels,
                     fmt::join(dcgm_counters(), "|"), more_matchers);
}

// What sums over days need, and whose it was.
std::string use_query() {
  return fmt::format(
      R"(max by (__name__,{},{}) ({{__name__=~"DCGM_FI_PROF_GR_ENGINE_ACTIVE|DCGM_FI_DEV_GPU_UTIL|{}"}}))",
      part_labels(), kJob, kDated);
}

std::int64_t seconds_of(Duration time) { return std::chrono::floor<std::chrono::seconds>(time).count(); }

std::string path_of_range(const std::string& query, TimePoint from, TimePoint to, Duration step) {
  return fmt::format("/api/v1/query_range?query={}&start={}&end={}&step={}", url_escape(query),
                     seconds_of(from.time_since_epoch()), seconds_of(to.time_since_epoch()),
                     std::max<std::int64_t>(1, seconds_of(step)));
}

// Only where there was a fault: of thousands of GPUs that are well nothing is told.
std::string faults_query() {
  return fmt::format(R"(max by (__name__,{}) ({{__name__=~"{}"}} > 0))", part_labels(),
                     fmt::join(dcgm_fault_counters(), "|"));
}

struct Gathered {
  SeriesNode node;
  DcgmGathering gathering;
  std::optional<TimePoint> at;
};

}  // namespace

SeriesNode node_by_labels(const MetricLine& line, const std::function<std::string(std::string_view)>& known) {
  for (std::string_view label : kNodeLabels) {
    std::string_view name = line.label(label);
    if (name.empty()) continue;
    SeriesNode found{{}, {{std::string(label), std::string(name)}}};
    if (label.ends_with("instance")) name = name.substr(0, name.rfind(':'));
    found.node = known(name);
    // An address is no name with a domain.
    const bool address = name.find_first_not_of("0123456789.:[]") == std::string_view::npos;
    if (found.node.empty() && !address) found.node = known(name.substr(0, name.find('.')));
    if (!found.node.empty()) return found;
  }
  return {};
}

SeriesNode node_by_short_name(const MetricLine& line) {
  return node_by_labels(line, [](std::string_view name) {
    if (name.find_first_not_of("0123456789.:[]") == std::string_view::npos) return std::string();
    return std::string(name.substr(0, name.find('.')));
  });
}

std::string path_of_figures_now() {
  const std::string dated =
      fmt::format(R"(label_replace(max by ({},namespace,pod) (timestamp({})),"{}","time","",""))",
                  node_labels(), kDated, kTimeLabel);
  // `or` leaves out the name of a series: one of a fault would be taken for the figure of the same GPU.
  const std::string any = fmt::format(" or on(__name__,{},{},{}) ", part_labels(), kJob, kTimeLabel);
  return "/api/v1/query?query=" + url_escape(figures_query(fmt::format("{},{}", part_labels(), kJob), "") +
                                             any + faults_query() + any + dated);
}

std::string path_of_use_before(TimePoint from, TimePoint to, Duration step) {
  return path_of_range(use_query(), from, to, step);
}

std::string path_of_scraped_pods(TimePoint from, TimePoint to, Duration step) {
  return path_of_range(fmt::format("group by (namespace,pod) (up and on (instance) {})", kDated), from, to,
                       step);
}

std::string path_of_series_count(TimePoint at) {
  return fmt::format("/api/v1/query?query={}&time={}", url_escape("count(" + use_query() + ")"),
                     seconds_of(at.time_since_epoch()));
}

std::string path_of_figures_before(const SeriesNode& node, TimePoint from, TimePoint to, Duration step) {
  std::string matchers;
  for (const auto& [label, value] : node.by) matchers += fmt::format(",{}={}", label, quoted(value));
  return path_of_range(figures_query(part_labels(), matchers), from, to, step);
}

Result<FiguresNow> figures_now(JsonDocument& document, std::string_view text, const NodeOfSeries& node_of,
                               TimePoint asked_at) {
  std::map<std::string, Gathered> nodes;
  FiguresNow now;
  const auto told = [&](const MetricLine& series, std::span<const PrometheusSample> samples) {
    const bool is_time = series.label(kTimeLabel) == "time";
    if (!is_time && !is_dcgm_counter(series.name)) return;
    SeriesNode node = node_of(series);
    if (node.node.empty()) return void(++now.strange);
    Gathered& of = nodes.try_emplace(node.node).first->second;
    const double value = samples.back().value;
    if (is_time) {
      // A clock that is ahead of ours makes nothing newer than now.
      if (!(value >= 0 && value < 4e9)) return;
      const TimePoint at(Duration(static_cast<Duration::rep>(value * 1000)));
      of.at = std::min(asked_at, std::max(at, of.at.value_or(at)));
      return;
    }
    of.node = std::move(node);
    MetricLine line = series;
    line.value = value;
    of.gathering.hear(line);
  };
  auto read = read_prometheus(document, text, told);
  if (!read) return read.error();
  now.skipped = read->skipped;
  now.problem = read->problem;
  for (auto& [name, of] : nodes) {
    DcgmReadings readings = of.gathering.end();
    readings.at = of.at.value_or(asked_at);
    now.skipped += readings.skipped;
    if (now.problem.empty() && readings.skipped > 0) now.problem = name + ": " + readings.problem;
    if (!readings.parts.empty()) now.nodes.push_back({std::move(of.node), std::move(readings)});
  }
  return now;
}

Result<std::vector<DcgmReadings>> figures_before(JsonDocument& document, std::string_view text) {
  std::map<TimePoint, DcgmGathering> times;
  const auto told = [&](const MetricLine& series, std::span<const PrometheusSample> samples) {
    if (!is_dcgm_counter(series.name)) return;
    MetricLine line = series;
    for (const PrometheusSample& sample : samples) {
      line.value = sample.value;
      times[sample.at].hear(line);
    }
  };
  auto read = read_prometheus(document, text, told);
  if (!read) return read.error();
  std::vector<DcgmReadings> rounds;
  for (auto& [at, gathering] : times) {
    rounds.push_back(gathering.end());
    rounds.back().at = at;
  }
  return rounds;
}

}  // namespace tessera::figures
