#include "engine/advise/history.hpp"

#include <algorithm>

#include "engine/mig/product_of.hpp"
#include "engine/sharing/amd.hpp"

namespace tessera::advise {
namespace {

std::optional<double> part_of(const std::string& profile, const Cluster& now,
                              const mig::Catalogue& catalogue) {
  if (profile == "whole") return 1;
  for (const Node& node : now.nodes.all())
    for (const Gpu& gpu : node.gpus) {
      const mig::Product* product = mig::product_of(gpu, catalogue);
      const mig::Profile* found = product ? product->find(profile) : nullptr;
      if (found && product->compute_slices > 0)
        return static_cast<double>(found->compute_slices) / product->compute_slices;
    }
  return std::nullopt;
}

// The fewest that sufficed in that part of all hours.
int enough_for(const std::map<int, double>& hours, double all, double part) {
  double beyond = all * (1 - part);
  for (auto at = hours.rbegin(); at != hours.rend(); ++at) {
    beyond -= at->second;
    if (beyond < 0) return at->first;
  }
  return 0;
}

}  // namespace

std::map<std::string, int> profiles_of(const Cluster& cluster) {
  std::map<std::string, int> all;
  const auto see = [&](const Slice& slice) {
    const std::string_view profile = usage::profile_in_demand(slice);
    if (!profile.empty()) ++all[std::string(profile)];
  };
  for (const Node& node : cluster.nodes.all()) {
    for (const Gpu& gpu : node.gpus)
      if (!sharing::amd::is_amd(gpu)) std::for_each(gpu.slices.begin(), gpu.slices.end(), see);
    std::for_each(node.pool.begin(), node.pool.end(), see);
  }
  return all;
}

History::History(const usage::DemandOverTime& past, const Cluster& now, const mig::Catalogue& catalogue) {
  const std::map<std::string, int> has = profiles_of(now);
  for (const usage::DemandPeak& peak : past.peaks()) {
    if (peak.cluster != now.name) continue;
    const Spread spread{past.spread(now.name, peak.profile), part_of(peak.profile, now, catalogue)};
    PastProfile one{peak.profile, peak.peak, enough_for(spread.hours, past.hours(), 0.95)};
    if (const auto at = has.find(peak.profile); at != has.end()) one.has = at->second;
    spreads_[peak.profile] = spread;
    if (const auto all = fitted(peak.profile, peak.peak))
      one.without_room = *all - *fitted(peak.profile, one.has);
    profiles_.push_back(std::move(one));
  }
  std::sort(profiles_.begin(), profiles_.end(),
            [](const PastProfile& a, const PastProfile& b) { return a.profile < b.profile; });
}

std::optional<double> History::fitted(const std::string& profile, int count) const {
  const auto found = spreads_.find(profile);
  if (found == spreads_.end()) return 0;
  if (!found->second.part) return std::nullopt;
  double sum = 0;
  for (const auto& [needed, hours] : found->second.hours) sum += std::min(needed, count) * hours;
  return sum * *found->second.part;
}

}  // namespace tessera::advise
