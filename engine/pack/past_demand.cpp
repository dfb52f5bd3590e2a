#include "engine/pack/past_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/mig/product_of.hpp"
#include "engine/pack/queue_demand.hpp"
#include "engine/pack/whole.hpp"
#include "engine/time.hpp"

namespace tessera::pack {
namespace {

// A profile that is on no GPU now counts as a whole one: it took that at most.
double part_of(const ProfileName& name, const Cluster& now, const mig::Catalogue& catalogue) {
  for (const Node& node : now.nodes.all())
    for (const Gpu& gpu : node.gpus) {
      const mig::Product* product = mig::product_of(gpu, catalogue);
      const mig::Profile* profile = product ? product->find(name.view()) : nullptr;
      if (profile && product->compute_slices > 0)
        return static_cast<double>(profile->compute_slices) / product->compute_slices;
    }
  return 1;
}

// nullopt: in one hour each of them reached its peak, or none was needed.
std::optional<BusiestHour> busiest_of(const usage::DemandOverTime& past, const std::vector<PastNeed>& needs,
                                      const Cluster& now, const mig::Catalogue& catalogue) {
  std::map<std::string, double> parts;
  for (const PastNeed& need : needs) parts[need.profile.text] = part_of(need.profile, now, catalogue);
  std::map<TimePoint, std::map<std::string, int>> hours;
  for (const usage::DemandHour& one : past.by_hour())
    if (one.cluster == now.name && one.peak > 0 && parts.contains(one.profile))
      hours[one.hour][one.profile] = one.peak;
  std::optional<BusiestHour> busiest;
  double most = 0;
  for (const auto& [hour, peaks] : hours) {
    const bool all = std::all_of(needs.begin(), needs.end(), [&](const PastNeed& need) {
      const auto at = peaks.find(need.profile.text);
      return at != peaks.end() && at->second == need.peak;
    });
    if (all) return std::nullopt;
    double gpus = 0;
    for (const auto& [profile, peak] : peaks) gpus += peak * parts[profile];
    if (gpus <= most) continue;
    most = gpus;
    busiest = BusiestHour{hour, {}};
    for (const auto& [profile, peak] : peaks) busiest->needs.emplace_back(ProfileName(profile), peak);
  }
  return busiest;
}

}  // namespace

std::string needs_text(const BusiestHour& busiest) {
  std::string text;
  for (const auto& [profile, count] : busiest.needs)
    text += fmt::format("{}{} × {}", text.empty() ? "" : ", ", count, profile.text);
  return text;
}

PastDemand demand_of_past(const usage::DemandOverTime& past, const Cluster& now, const std::string& group,
                          const mig::Catalogue& catalogue) {
  PastDemand found;
  found.hours = past.hours();
  found.unplaced = past.unplaced();
  usage::DemandOverTime today(group);
  today.see(now, TimePoint{});
  std::map<std::string, int> held;
  for (const usage::DemandPeak& peak : today.peaks()) held[peak.profile] = peak.held;
  for (const usage::DemandPeak& peak : past.peaks()) {
    if (peak.cluster != now.name) continue;
    if (peak.profile == kWhole && !whole_is_one_kind(now, catalogue)) {
      found.whole = peak.peak;
      continue;
    }
    const PastNeed need{ProfileName(peak.profile), peak.peak, peak.at, held[peak.profile]};
    found.needs.push_back(need);
    if (need.peak > need.held_now)
      found.demand.push_back({need.profile, std::nullopt, need.peak - need.held_now});
  }
  found.busiest = busiest_of(past, found.needs, now, catalogue);
  return found;
}

std::vector<std::string> past_text(const PastDemand& past) {
  std::vector<std::string> lines;
  for (const PastNeed& need : past.needs)
    lines.push_back(fmt::format("{}: {} at most at {}, {} of them held now", need.profile.text, need.peak,
                                utc_text(need.at), need.held_now));
  if (past.busiest)
    lines.push_back(fmt::format(
        "the peaks are of different hours: in no hour was all of this needed at the same time; the busiest "
        "hour, from {} on, needed at most {}",
        utc_text(past.busiest->hour), needs_text(*past.busiest)));
  if (past.whole > 0)
    lines.push_back(
        fmt::format("whole GPUs: {} at most at the same time; of which product is not told, and this demand "
                    "keeps none of them free",
                    past.whole));
  if (past.unplaced > 0)
    lines.push_back(fmt::format("up to {} more were held on slices that are not reported", past.unplaced));
  return lines;
}

}  // namespace tessera::pack
