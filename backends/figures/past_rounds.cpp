#include "backends/figures/past_rounds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "backends/figures/prometheus.hpp"
#include "engine/hours.hpp"

namespace tessera::figures {
namespace {

constexpr const char* kWhat = "cannot read what Prometheus kept";
constexpr Duration kFine{60'000}, kCoarse{300'000};  // between two values, below the longest round
constexpr Duration kFineFor{2LL * 24 * 3'600'000};   // a longer time is read coarsely
constexpr Duration kLongestPiece{24LL * 3'600'000};
constexpr Duration kScrapedStep{600'000};
constexpr std::int64_t kMostValues = 400'000;  // of one answer: some 20 MB of text
constexpr std::int64_t kMostPoints = 10'000;   // of one series; Prometheus refuses more than 11,000

Duration step_of(TimePoint from, TimePoint to) { return to - from <= kFineFor ? kFine : kCoarse; }

// So long that the answer stays below the bound, in whole steps, and one step at least.
Duration piece_of(std::int64_t series, Duration step) {
  const std::int64_t points = std::clamp<std::int64_t>(kMostValues / std::max<std::int64_t>(1, series), 1,
                                                       std::min(kMostPoints, kLongestPiece / step));
  return step * points;
}

WorkloadKind kind_of(Scheduler scheduler) {
  return scheduler == Scheduler::kubernetes ? WorkloadKind::pod : WorkloadKind::job;
}

using Pods = std::set<std::string, std::less<>>;  // "namespace/name"

// Who has a part: pods, or jobs by a site's own files; empty: nobody is named. scraped: the exporters
// themselves, which have none.
std::vector<std::string> names_of(const DcgmPart& part, const Pods& scraped) {
  if (!part.jobs.empty()) return part.jobs;
  std::vector<std::string> pods = part.pods;
  std::erase_if(pods, [&](const std::string& pod) { return scraped.contains(pod); });
  return pods;
}

class PastRounds final : public usage::KeptUse {
 public:
  explicit PastRounds(PastRoundsOptions options) : options_(std::move(options)) {}

  const ClusterName& cluster() const override { return options_.of.cluster; }
  std::optional<record::Covered> covered() override {
    return record::Covered{TimePoint{}, options_.of.until};
  }
  Result<Model> at(TimePoint) override { return not_asked(); }
  Result<std::vector<history::KeptFigures>> figures(const std::vector<NodeName>&, TimePoint, TimePoint,
                                                    const std::function<bool()>&) override {
    return not_asked();
  }
  Scheduler scheduler() const override { return options_.scheduler; }
  const usage::KeptTold& told() const override { return told_; }
  void count_unnamed() override { count_unnamed_ = true; }

  Status rounds(TimePoint from, TimePoint to, const std::function<bool(const record::Round&)>& see) override {
    usage::AskingCost cost = told_.cost;
    told_ = {}, told_.cost = cost;  // asked again, it costs again
    const Duration step = told_.step = step_of(from, to);
    for (TimePoint begin = from; begin <= to;) {
      auto before = count_series(begin), after = count_series(std::min(to, begin + kLongestPiece));
      if (!before) return before.error();
      if (!after) return after.error();
      const TimePoint end = std::min(to, begin + piece_of(std::max(*before, *after), step) - step);
      auto goes_on = read_piece(begin, end, step, see);
      if (!goes_on) return goes_on.error();
      if (!*goes_on) break;
      begin = end + step;
    }
    return Done{};
  }

 private:
  using Times = std::map<TimePoint, std::map<std::string, DcgmGathering>>;

  static Error unread(const Error& error) { return {kWhat, error.what + ": " + error.reason, error.hint}; }
  static Error not_asked() {
    return {kWhat, "it tells of use over time alone", "tessera record writes a recording"};
  }

  // Errors: no answer, another status, with what the server says.
  Result<std::string> ask(const std::string& path) {
    if (told_.cost.commands > 0) options_.rest(last_took_);
    const auto begun = std::chrono::steady_clock::now();
    Result<HttpResponse> came = options_.ask(path);
    last_took_ = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - begun);
    ++told_.cost.commands;
    told_.cost.took += last_took_;
    if (!came) return Error{kWhat, came.error().reason, came.error().hint};
    told_.cost.bytes += std::ssize(came->body);
    if (came->status == 200) return std::move(came->body);
    Error why = explain_prometheus(document_, *came);
    return Error{kWhat, why.reason, why.hint};
  }

  Result<std::int64_t> count_series(TimePoint at) {
    auto body = ask(path_of_series_count(at));
    if (!body) return body.error();
    std::int64_t count = 0;
    auto read =
        read_prometheus(document_, *body, [&](const MetricLine&, std::span<const PrometheusSample> samples) {
          const double value = samples.back().value;
          if (value >= 0 && value < 1e9) count = static_cast<std::int64_t>(value);
        });
    if (!read) return unread(read.error());
    return count;
  }

  // Names are enough: coarser than the values, for a tenth of the answer and less.
  Status read_scraped(TimePoint from, TimePoint to, Duration step) {
    auto body = ask(path_of_scraped_pods(from, to, std::max(step, kScrapedStep)));
    if (!body) return body.error();
    scraped_.clear();
    auto read =
        read_prometheus(document_, *body, [&](const MetricLine& series, std::span<const PrometheusSample>) {
          if (!series.label("pod").empty())
            scraped_.insert(std::string(series.label("namespace")) + "/" + std::string(series.label("pod")));
        });
    if (!read) return unread(read.error());
    return Done{};
  }

  // False: `see` has had enough.
  Result<bool> read_piece(TimePoint from, TimePoint to, Duration step,
                          const std::function<bool(const record::Round&)>& see) {
    if (options_.scheduler == Scheduler::kubernetes)
      if (Status read = read_scraped(from, to, step); !read) return read.error();
    auto body = ask(path_of_use_before(from, to, step));
    if (!body) return body.error();
    Times times;
    auto read = read_prometheus(document_, *body,
                                [&](const MetricLine& series, std::span<const PrometheusSample> all) {
                                  if (is_dcgm_counter(series.name)) hear(series, all, times);
                                });
    if (!read) return unread(read.error());
    told_.skipped += read->skipped;
    if (told_.problem.empty()) told_.problem = read->problem;
    for (auto& [at, nodes] : times) {
      const Cluster cluster = cluster_of(nodes, at, step);
      if (!see({cluster, at, {}, step})) return false;
    }
    return true;
  }

  void hear(const MetricLine& series, std::span<const PrometheusSample> samples, Times& times) {
    const SeriesNode node = options_.node_of(series);
    if (node.node.empty()) return void(++told_.strange);
    MetricLine line = series;
    for (const PrometheusSample& sample : samples) {
      line.value = sample.value;
      times[sample.at][node.node].hear(line);
    }
  }

  Cluster cluster_of(std::map<std::string, DcgmGathering>& nodes, TimePoint at, Duration step) {
    Cluster cluster;
    cluster.name = options_.of.cluster, cluster.scheduler = options_.scheduler, cluster.loaded = true;
    for (auto& [name, gathering] : nodes) {
      const DcgmReadings readings = gathering.end();
      told_.skipped += readings.skipped;
      if (told_.problem.empty() && readings.skipped > 0) told_.problem = name + ": " + readings.problem;
      Node node;
      node.name = NodeName(name);
      for (const DcgmPart& part : readings.parts) add_part(node, part, readings.parts, at, step, cluster);
      cluster.nodes.upsert(std::move(node));
    }
    return cluster;
  }

  // A GPU with instances is these alone.
  void add_part(Node& node, const DcgmPart& part, const std::vector<DcgmPart>& all, TimePoint at,
                Duration step, Cluster& cluster) {
    const bool cut = std::any_of(all.begin(), all.end(), [&](const DcgmPart& one) {
      return one.gpu == part.gpu && one.instance.has_value();
    });
    if (node.gpus.empty() || node.gpus.back().index.value != part.gpu) node.gpus.push_back(gpu_of(part, cut));
    if (cut && !part.instance) return;
    Slice slice;
    slice.kind = cut ? SliceKind::gpu_instance : SliceKind::whole_gpu;
    slice.profile = part.profile, slice.instance_id = part.instance;
    slice.use = part.use, slice.memory_used = part.memory_used, slice.measured = {Source::dcgm, at};
    hold(slice, names_of(part, scraped_), step, cluster);
    node.gpus.back().slices.push_back(std::move(slice));
  }

  Gpu gpu_of(const DcgmPart& part, bool cut) const {
    Gpu gpu;
    gpu.index = GpuIndex{part.gpu}, gpu.uuid = part.uuid, gpu.model = part.model;
    gpu.strategy = cut ? Strategy::mig : Strategy::whole;
    const mig::Product* product = options_.of.catalogue->by_smi_name(part.model);
    if (!product) return gpu;
    gpu.product = product->key;
    if (product->memory_gb) gpu.memory = Mib{static_cast<std::int64_t>(*product->memory_gb * 1024)};
    return gpu;
  }

  // Several jobs or pods on one GPU have equal parts of it; of an instance it is not known what each has.
  void hold(Slice& slice, const std::vector<std::string>& names, Duration step, Cluster& cluster) {
    const double hours = hours_of(step);
    told_.names_work = told_.names_work || !names.empty();
    if (names.size() > 1 && slice.kind == SliceKind::gpu_instance) return void(told_.shared += hours);
    if (names.empty()) told_.unnamed += hours;
    if (names.empty() && !count_unnamed_) return;
    if (names.size() > 1) slice.kind = SliceKind::time_slice, slice.capacity = static_cast<int>(names.size());
    for (const std::string& name : names.empty() ? std::vector<std::string>{""} : names) {
      slice.holders.push_back({WorkloadId(name), 1});
      if (cluster.workloads.find(WorkloadId(name))) continue;
      Workload work;
      work.id = WorkloadId(name), work.kind = kind_of(options_.scheduler);
      work.state = WorkloadState::running;
      if (const std::size_t slash = name.find('/'); slash != std::string::npos)
        work.group = name.substr(0, slash);
      cluster.workloads.upsert(std::move(work));
    }
  }

  PastRoundsOptions options_;
  JsonDocument document_;
  usage::KeptTold told_;
  Pods scraped_;  // of the piece that is read
  Duration last_took_{0};
  bool count_unnamed_ = false;
};

}  // namespace

std::unique_ptr<usage::KeptUse> past_rounds(PastRoundsOptions options) {
  if (!options.rest)
    options.rest = [stopped = options.of.stopped](Duration time) {
      constexpr Duration kStep{50};
      for (; time > Duration{0} && !(stopped && stopped()); time -= kStep)
        std::this_thread::sleep_for(std::min(time, kStep));
    };
  return std::make_unique<PastRounds>(std::move(options));
}

}  // namespace tessera::figures
