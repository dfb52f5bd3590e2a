#include "engine/pack/past_demand.hpp"

#include <algorithm>
#include <map>

#include "engine/pack/queue_demand.hpp"
#include "engine/pack/whole.hpp"

namespace tessera::pack {

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
  return found;
}

}  // namespace tessera::pack
