#include "backends/figures/prometheus_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

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

constexpr std::string_view kActive = "DCGM_FI_PROF_GR_ENGINE_ACTIVE", kUtil = "DCGM_FI_DEV_GPU_UTIL";

// The pods that were scraped for it. Where targets have no pods it tells that, by a series that names none.
std::string scraped_query() {
  return fmt::format("group by (namespace,pod) (up and on (instance) {})", kDated);
}

// The second where the first is not told of the same GPU.
std::string held_query() {
  const std::string by = fmt::format("{},{}", part_labels(), kJob);
  const std::string use = fmt::format("max by (__name__,{}) ({}) or on({}) max by (__name__,{}) ({})", by,
                                      kActive, by, by, kUtil);
  return fmt::format(R"({} or label_replace({},"{}","scraped","",""))", use, scraped_query(), kTimeLabel);
}

// A GPU, or an instance on it, at one time. Several series are of it where several have it.
struct PartThen {
  std::optional<float> use;  // percent
  bool named = false;        // by a job, or a pod under renamed labels
  bool plain = false;        // by a pod under plain labels that was not scraped itself
  bool unsure = false;       // its series tell different figures
};
struct PartKept {
  double part = 0;  // of the GPU's engines, of an instance; 0: not known
  std::map<TimePoint, PartThen> then;
};
using GpuKept = std::map<std::optional<int>, PartKept>;  // by instance; nullopt: the GPU as a whole

struct Tally {
  int gpus = 0, parts = 0, held = 0;
  int measured = 0;  // GPUs of which something is held
  double used = 0;   // of these together, in percent
};

class ClusterKept {
 public:
  explicit ClusterKept(const mig::Catalogue* catalogue) : catalogue_(catalogue) {}
  void was_scraped(const MetricLine& target);  // before any series is heard
  void hear(const std::string& node, const MetricLine& series, std::span<const PrometheusSample> samples);
  history::SumsBefore sums() const;

 private:
  double part_of(const DcgmPart& part) const;
  bool is_held(const PartThen& part) const { return part.named || (part.plain && !renames_); }
  void add(const GpuKept& gpu, TimePoint at, Tally& to) const;

  const mig::Catalogue* catalogue_;
  std::map<std::pair<std::string, int>, GpuKept> gpus_;  // by node and number
  std::set<std::string> scraped_;                        // "namespace/name" of the exporters themselves
  bool knows_scraped_ = false;                           // which of the plain ones they are
  bool renames_ = false;  // the scrape renames pods: a plain one is the exporter's
  bool names_ = false;    // any series names anyone
};

double ClusterKept::part_of(const DcgmPart& part) const {
  const mig::Product* product = catalogue_ ? catalogue_->by_smi_name(part.model) : nullptr;
  const mig::Profile* profile = product ? product->find(part.profile.view()) : nullptr;
  if (!profile || product->compute_slices <= 0) return 0;
  return static_cast<double>(profile->compute_slices) / product->compute_slices;
}

void ClusterKept::was_scraped(const MetricLine& target) {
  knows_scraped_ = true;
  scraped_.insert(std::string(target.label("namespace")) + "/" + std::string(target.label("pod")));
}

void ClusterKept::hear(const std::string& node, const MetricLine& series,
                       std::span<const PrometheusSample> samples) {
  DcgmGathering gathering;
  gathering.hear(series);
  const DcgmReadings read = gathering.end();
  if (read.parts.size() != 1) return;
  const DcgmPart& part = read.parts.front();
  PartKept& kept = gpus_[{node, part.gpu}][part.instance];
  if (part.instance) kept.part = part_of(part);
  const bool named = !part.jobs.empty() || (part.renamed && !part.pods.empty());
  const bool plain = !part.renamed && knows_scraped_ &&
                     std::any_of(part.pods.begin(), part.pods.end(),
                                 [&](const auto& pod) { return !scraped_.contains(pod); });
  renames_ = renames_ || part.renamed, names_ = names_ || named || plain;
  const bool is_share = series.name == kActive;  // of time, 0 to 1
  for (const PrometheusSample& sample : samples) {
    const double percent = is_share ? 100 * sample.value : sample.value;
    // GPU_UTIL is never that of an instance; NaN is in no range.
    const bool told = percent >= 0 && percent <= 100 && (is_share || !part.instance);
    const std::optional<float> use = told ? std::optional(static_cast<float>(percent)) : std::nullopt;
    const auto [place, first] = kept.then.try_emplace(sample.at);
    PartThen& then = place->second;
    then.unsure = then.unsure || (!first && then.use != use);
    then.use = use, then.named = then.named || named, then.plain = then.plain || plain;
  }
}

// Of a GPU that has instances, these count.
void ClusterKept::add(const GpuKept& gpu, TimePoint at, Tally& to) const {
  const bool cut = std::any_of(gpu.begin(), gpu.end(),
                               [&](const auto& one) { return one.first && one.second.then.contains(at); });
  std::optional<double> use = 0.0;
  int held = 0;
  for (const auto& [instance, part] : gpu) {
    const auto then = part.then.find(at);
    if (then == part.then.end() || (cut && !instance)) continue;
    ++to.parts;
    held += is_held(then->second) ? 1 : 0;
    const bool known = then->second.use && !then->second.unsure && (!cut || part.part > 0);
    if (!known)
      use.reset();
    else if (use)
      *use += static_cast<double>(*then->second.use) * (cut ? part.part : 1);
  }
  ++to.gpus, to.held += held;
  if (held == 0 || !use) return;
  ++to.measured, to.used += std::min(100.0, *use);
}

history::SumsBefore ClusterKept::sums() const {
  history::SumsBefore kept;
  if (!names_) return kept;
  std::map<TimePoint, Tally> all;
  for (const auto& [place, gpu] : gpus_) {
    std::set<TimePoint> times;
    for (const auto& [instance, part] : gpu)
      for (const auto& [at, then] : part.then) times.insert(at);
    for (const TimePoint at : times) add(gpu, at, all[at]);
  }
  int most = 0;
  for (const auto& [at, one] : all) most = std::max(most, one.gpus);
  constexpr int kOneIn = 50;  // so few may be missing
  for (const auto& [at, one] : all) {
    if ((most - one.gpus) * kOneIn > most || one.parts == 0) continue;
    history::Sums& sums = kept.sums.emplace_back();
    sums.at = at;
    sums.held = 100.0F * static_cast<float>(one.held) / static_cast<float>(one.parts);
    if (one.measured > 0) sums.used = static_cast<float>(one.used / one.measured);
    kept.slices = one.parts;
  }
  return kept;
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

std::string path_of_held_before(TimePoint from, TimePoint to, Duration step) {
  return path_of_range(held_query(), from, to, step);
}

std::string path_of_scraped_pods(TimePoint from, TimePoint to, Duration step) {
  return path_of_range(scraped_query(), from, to, step);
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

Result<history::SumsBefore> sums_before(JsonDocument& document, std::string_view text,
                                        const NodeOfSeries& node_of, const mig::Catalogue* catalogue) {
  ClusterKept cluster(catalogue);
  const auto targets = [&](const MetricLine& series, std::span<const PrometheusSample>) {
    if (series.label(kTimeLabel) == "scraped") cluster.was_scraped(series);
  };
  const auto figures = [&](const MetricLine& series, std::span<const PrometheusSample> samples) {
    if (series.name != kActive && series.name != kUtil) return;
    const SeriesNode node = node_of(series);
    if (!node.node.empty()) cluster.hear(node.node, series, samples);
  };
  if (auto read = read_prometheus(document, text, targets); !read) return read.error();
  if (auto read = read_prometheus(document, text, figures); !read) return read.error();
  return cluster.sums();
}

}  // namespace tessera::figures
