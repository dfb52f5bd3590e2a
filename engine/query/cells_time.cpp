#include "engine/query/cells_time.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>

#include "engine/history/history.hpp"
#include "engine/history/spark.hpp"
#include "engine/insight/worth.hpp"
#include "engine/model/held_by.hpp"
#include "engine/query/cells.hpp"

namespace tessera::query {
namespace {

constexpr Duration kTrend{600'000};
constexpr int kBars = 10;
constexpr Duration kHourBefore{3'600'000};  // a page reads it (tui/kept_figures.hpp)

// How use went, of one line or of several together.
class Bars {
 public:
  Bars(const Cluster& cluster, const Context& context)
      : cluster_(cluster), context_(context), now_(cluster_now(cluster, context.wall)) {}
  void add(const Node& node, std::span<const history::Key> keys) {
    if (!context_.history) return;
    context_.history->each_use(cluster_.name, node.name, keys, now_ - kTrend,
                               [this](TimePoint at, double sum, int measured) {
                                 any_ = true;
                                 means_.add(at, sum, measured);
                               });
  }
  void add(const Node& node, const history::Key& key) { add(node, {&key, 1}); }
  Value value() const {
    if (!any_) return NotTold{};
    return words(history::spark(means_.take(), 100, false));
  }

 private:
  const Cluster& cluster_;
  const Context& context_;
  TimePoint now_;
  history::Means means_{now_ - kTrend, now_, kBars};
  bool any_ = false;
};

// Means of several lines, each by its weight.
class Weighed {
 public:
  void add(const std::vector<std::optional<float>>& means, double weight) {
    for (std::size_t i = 0; i < means.size() && i < sums_.size(); ++i) {
      if (!means[i]) continue;
      sums_[i] += weight * static_cast<double>(*means[i]);
      weights_[i] += weight;
    }
  }
  bool measured() const {
    return std::any_of(weights_.begin(), weights_.end(), [](double weight) { return weight > 0; });
  }
  std::vector<std::optional<float>> means() const {
    std::vector<std::optional<float>> all(kBars);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (weights_[i] > 0) all[i] = static_cast<float>(sums_[i] / weights_[i]);
    return all;
  }

 private:
  std::array<double, kBars> sums_{}, weights_{};
};

// When the first of its holders began: before that it stood idle for another reason.
std::optional<TimePoint> held_since(const Cluster& cluster, const Slice& slice) {
  std::optional<TimePoint> first;
  for (const Holder& holder : slice.holders) {
    const Workload* workload = cluster.workloads.find(holder.workload);
    if (workload && workload->started)
      first = std::min(first.value_or(*workload->started), *workload->started);
  }
  return first;
}

struct Idle {
  bool measured = false;
  std::optional<TimePoint> since;  // nullopt: in use, or not measured
  bool begins_before = false;      // nothing tells of the time before it: it may have been idle for days
  bool longer = false;             // it may have been idle before what was seen
};

// Since when something is held and not used; open: or since before that.
struct Since {
  TimePoint at{};
  bool open = false;
};

// Of a recording whose key frames do not tell it (an older one) the moments that were looked at are known,
// and of what is charted the hour before: a stretch that begins with the first of them began some time before
// it.
bool begins_before(const Cluster& cluster, const Node& node, const history::Key& key, TimePoint since,
                   const Context& context) {
  const Duration gap = history::longest_gap(cluster);
  if (!cluster.recorded) return false;
  // Where figures are an hour apart, nothing of that hour shows that it was used before.
  const bool seen_before =
      gap < kHourBefore && cluster_now(cluster, context.wall) - since >= kHourBefore - gap;
  if (seen_before) return false;
  if (context.history->is_told_idle(cluster.name, node.name, key)) return false;
  const std::vector<history::Sample> samples =
      context.history->line(cluster.name, node.name, key, since - gap).samples;
  return std::none_of(samples.begin(), samples.end(),
                      [&](const history::Sample& one) { return one.at < since && one.use; });
}

// It is known where its holder began later.
bool is_known(const Idle& idle, const std::optional<TimePoint>& held) {
  return !idle.begins_before || (held && *held >= *idle.since);
}
Idle idle_of(const Cluster& cluster, const Node& node, const Gpu& gpu, const Slice* slice,
             const Context& context) {
  if (!context.history) return {};
  const history::Key key = slice ? history::key_of(gpu, *slice) : history::key_of(gpu);
  const bool whole = !slice || slice->kind == SliceKind::whole_gpu;
  const bool measured = (slice && slice->use) || (whole && gpu.telemetry.use);
  // From there to now is a gap like any other.
  const TimePoint last = slice && (slice->use || !whole) ? slice->measured.at : gpu.telemetry.origin.at;
  if (measured && cluster_now(cluster, context.wall) - last > history::longest_gap(cluster)) return {};
  const auto since = context.history->idle_since(cluster.name, node.name, key);
  return {measured, since, since && begins_before(cluster, node, key, *since, context),
          context.history->may_be_idle_longer(cluster.name, node.name, key)};
}

// Precondition: it is idle.
Since since_of(const Idle& idle, const std::optional<TimePoint>& held) {
  if (held && *held >= *idle.since) return {*held, false};
  return {*idle.since, idle.longer};
}
// Of several the last one counts. Of two at the same time it is the one of which that is sure.
Since later(const Since& a, const Since& b) {
  if (a.at != b.at) return a.at > b.at ? a : b;
  return {a.at, a.open && b.open};
}
Value span_of(const Since& since, const Cluster& cluster, const Context& context) {
  const std::int64_t seconds =
      std::max<std::int64_t>(0, seconds_between(since.at, cluster_now(cluster, context.wall)));
  return since.open ? Value(AtLeast(seconds)) : Value(seconds);
}

Value idle_value(const Idle& idle, const std::optional<TimePoint>& held, const Cluster& cluster,
                 const Context& context) {
  if (!idle.since) return idle.measured ? words("") : Value(NotTold{});
  if (!is_known(idle, held)) return NotTold{};
  return span_of(since_of(idle, held), cluster, context);
}

}  // namespace

Value trend(const NodeRow& row, const Context& context) {
  Bars bars(*row.cluster, context);
  std::vector<history::Key> keys;
  for (const Gpu& gpu : row.node->gpus) keys.push_back(history::key_of(gpu));
  bars.add(*row.node, keys);
  return bars.value();
}

Value trend(const GpuRow& row, const Context& context) {
  Bars bars(*row.cluster, context);
  bars.add(*row.node, history::key_of(*row.gpu));
  return bars.value();
}

Value trend(const SliceRow& row, const Context& context) {
  Bars bars(*row.cluster, context);
  if (row.gpu) bars.add(*row.node, history::key_of(*row.gpu, *row.slice));
  return bars.value();
}

// What others use of a GPU that is shared is not its own, nor is what was used before it began. Several
// slices count by what part of a GPU each is: in a stretch, those of them that were measured then.
Value trend(const WorkloadRow& row, const Context& context) {
  if (!context.history) return NotTold{};
  const TimePoint now = cluster_now(*row.cluster, context.wall);
  const std::vector<SliceRow> held = slices_held(row);
  const bool alike = std::all_of(held.begin(), held.end(), [&](const SliceRow& one) {
    return one.slice->kind == held.front().slice->kind && one.slice->profile == held.front().slice->profile;
  });
  Weighed weighed;
  for (const SliceRow& one : held) {
    if (one.slice->holders.size() > 1) return NotTold{};
    if (!one.gpu) continue;
    const std::optional<double> part = alike ? 1
                                       : context.catalogue
                                           ? insight::part_of(one.gpu, *one.slice, 1, *context.catalogue)
                                           : std::nullopt;
    if (!part) return NotTold{};
    std::vector<history::Sample> samples =
        context.history
            ->line(row.cluster->name, one.node->name, history::key_of(*one.gpu, *one.slice), now - kTrend)
            .samples;
    if (const auto& began = row.workload->started)
      std::erase_if(samples, [&](const history::Sample& sample) { return sample.at <= *began; });
    weighed.add(history::means(samples, history::Figure::use, now - kTrend, now, kBars), *part);
  }
  return weighed.measured() ? words(history::spark(weighed.means(), 100, false)) : Value(NotTold{});
}

std::string trend_in_ascii(std::string_view bars) {
  // Each bar is three bytes long: U+2581 to U+2588.
  constexpr std::string_view kAscii = "_.:-=+*#";
  std::string text;
  for (std::size_t at = 0; at < bars.size(); ++at) {
    if (!bars.substr(at).starts_with("\xe2\x96") || at + 2 >= bars.size()) {
      text += bars[at];
      continue;
    }
    text += kAscii[static_cast<std::size_t>(static_cast<unsigned char>(bars[at + 2]) - 0x81) % 8];
    at += 2;
  }
  return text;
}

Value idle(const GpuRow& row, const Context& context) {
  const bool held = std::any_of(row.gpu->slices.begin(), row.gpu->slices.end(),
                                [](const Slice& slice) { return slice.holding == Holding::held; });
  if (!held) return words("");
  std::optional<TimePoint> since;
  for (const Slice& slice : row.gpu->slices)
    if (auto began = held_since(*row.cluster, slice)) since = std::min(since.value_or(*began), *began);
  return idle_value(idle_of(*row.cluster, *row.node, *row.gpu, nullptr, context), since, *row.cluster,
                    context);
}

// Of what is held there nothing is used. In use is enough to tell that it is not idle; what is not measured,
// and what may be held, may be in use.
Value idle(const NodeRow& row, const Context& context) {
  std::optional<Since> since;
  bool told = true;
  for (const Gpu& gpu : row.node->gpus)
    for (const Slice& slice : gpu.slices) {
      if (slice.holding == Holding::unknown) told = false;
      if (slice.holding != Holding::held) continue;
      const Idle idle = idle_of(*row.cluster, *row.node, gpu, &slice, context);
      if (idle.measured && !idle.since) return words("");
      const std::optional<TimePoint> held = held_since(*row.cluster, slice);
      told = told && idle.measured && is_known(idle, held);
      if (!told) continue;
      const Since began = since_of(idle, held);
      since = since ? later(*since, began) : began;
    }
  const bool pool_held = std::any_of(row.node->pool.begin(), row.node->pool.end(),
                                     [](const Slice& slice) { return slice.holding != Holding::free; });
  if (!told || pool_held) return NotTold{};
  return since ? span_of(*since, *row.cluster, context) : words("");
}

Value idle(const SliceRow& row, const Context& context) {
  if (row.slice->holding != Holding::held) return words("");
  if (!row.gpu) return NotTold{};
  return idle_value(idle_of(*row.cluster, *row.node, *row.gpu, row.slice, context),
                    held_since(*row.cluster, *row.slice), *row.cluster, context);
}

// Idle is a workload of whose slices none is used; of one that is not measured it is not known, nor of one
// that shares what is used.
Value idle(const WorkloadRow& row, const Context& context) {
  if (!context.history || row.workload->state != WorkloadState::running) return words("");
  Idle all{true, {}, false, false};
  const std::vector<SliceRow> held = slices_held(row);
  if (held.empty()) return NotTold{};
  for (const SliceRow& slice : held) {
    if (!slice.gpu) return NotTold{};
    const Idle idle = idle_of(*row.cluster, *slice.node, *slice.gpu, slice.slice, context);
    const bool alone = slice.slice->holders.size() == 1;
    if (!idle.since) return idle.measured && alone ? words("") : Value(NotTold{});
    // The last of them to fall idle counts; of two at the same time the one of which that is sure.
    if (!all.since || *all.since < *idle.since || (*all.since == *idle.since && all.longer)) all = idle;
  }
  return idle_value(all, row.workload->started, *row.cluster, context);
}

std::vector<SliceRow> slices_held(const WorkloadRow& row) {
  std::vector<SliceRow> all;
  std::set<NodeName> seen;
  for (const Allocation& allocation : row.workload->allocations) {
    const Node* node = row.cluster->nodes.find(allocation.node);
    if (!node || !seen.insert(allocation.node).second) continue;
    for (const Gpu& gpu : node->gpus)
      for (const Slice& slice : gpu.slices)
        if (slice.exact && is_held_by(slice, row.workload->id))
          all.push_back({row.cluster, node, &gpu, &slice});
  }
  return all;
}

}  // namespace tessera::query
