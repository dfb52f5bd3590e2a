#include "engine/history/sums.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/history/history.hpp"
#include "engine/insight/available.hpp"
#include "engine/insight/both_sides.hpp"
#include "engine/insight/totals.hpp"

namespace tessera::history {

namespace {

bool is_current(const Cluster& cluster) {
  return cluster.loaded && insight::nodes_are_current(cluster) && insight::work_is_current(cluster);
}

std::optional<Sums> sums_from(const insight::Totals& totals, TimePoint at) {
  if (totals.slices == 0) return std::nullopt;
  Sums sums{at, 100.0F * static_cast<float>(totals.held) / static_cast<float>(totals.slices), {}};
  if (totals.measured > 0) sums.used = static_cast<float>(totals.used / totals.measured);
  return sums;
}

// One holder has all of it.
bool is_whole(const Slice& slice) {
  const bool part = slice.kind == SliceKind::whole_gpu || slice.kind == SliceKind::gpu_instance;
  return part && slice.capacity == 1;
}

bool has_shares(const Node& node) {
  for (const Gpu& gpu : node.gpus)
    if (!std::all_of(gpu.slices.begin(), gpu.slices.end(), is_whole)) return true;
  return !std::all_of(node.pool.begin(), node.pool.end(), is_whole);
}

constexpr int kOneIn = 50;   // so few slices may differ: an exporter may be down
constexpr float kAlike = 5;  // points of percent: work began or ended between two scrapes
constexpr Duration kNear{300'000};

}  // namespace

bool count_alike(const Cluster& cluster, const SumsBefore& kept, const Sums& seen) {
  int slices = 0;
  for (const Node& node : cluster.nodes.all()) {
    if (has_shares(node)) return false;
    slices += node.counts.all;
  }
  if (kept.sums.empty() || slices == 0 || std::abs(kept.slices - slices) * kOneIn > slices) return false;
  const auto away = [&](const Sums& one) { return std::chrono::abs(one.at - seen.at); };
  const Sums& then = *std::min_element(kept.sums.begin(), kept.sums.end(),
                                       [&](const Sums& a, const Sums& b) { return away(a) < away(b); });
  return away(then) <= kNear && then.held && seen.held && std::abs(*then.held - *seen.held) <= kAlike;
}

std::optional<Sums> sums_of(const Cluster& cluster, TimePoint at) {
  return is_current(cluster) ? sums_from(insight::totals(cluster), at) : std::nullopt;
}
std::optional<Sums> sums_of(const Model& model, const Cluster& cluster, TimePoint at) {
  return is_current(cluster) ? sums_from(insight::totals(model, cluster), at) : std::nullopt;
}
std::optional<Sums> sums_in(const Cluster& cluster, const insight::Totals& totals, TimePoint at) {
  return is_current(cluster) ? sums_from(totals, at) : std::nullopt;
}

void History::take(const ClusterName& cluster, const Sums& sums) {
  std::deque<Sums>& all = sums_[cluster];
  if (!all.empty() && sums.at < all.back().at + kSumsEvery) return;
  all.push_back(sums);
  if (all.size() > kMostSums) all.pop_front();
}

void History::take_instead(const ClusterName& cluster, const std::vector<Sums>& all) {
  sums_.erase(cluster), sums_kept_.erase(cluster);
  for (const Sums& one : all) take(cluster, one);
}

void History::take_before(const ClusterName& cluster, const std::vector<Sums>& kept) {
  std::deque<Sums>& all = sums_[cluster];
  const TimePoint until = all.empty() ? TimePoint::max() : all.front().at;
  std::vector<Sums> before;
  for (const Sums& one : kept)
    if (one.at < until && (before.empty() || one.at >= before.back().at + kSumsEvery)) before.push_back(one);
  if (before.empty()) return;
  sums_kept_.try_emplace(cluster, before.back().at);
  all.insert(all.begin(), before.begin(), before.end());
  while (all.size() > kMostSums) all.pop_front();
}

std::optional<TimePoint> History::sums_kept_until(const ClusterName& cluster) const {
  const auto found = sums_kept_.find(cluster);
  return found == sums_kept_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Sample> History::sums(const ClusterName& cluster, TimePoint since) const {
  std::vector<Sample> samples;
  const auto found = sums_.find(cluster);
  if (found == sums_.end()) return samples;
  for (const Sums& one : found->second)
    if (one.at >= since) {
      Sample& sample = samples.emplace_back();
      sample.at = one.at;
      sample.use = one.used;
      sample.held = one.held;
    }
  return samples;
}

}  // namespace tessera::history
