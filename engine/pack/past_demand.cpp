#include "engine/pack/past_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/pack/queue_demand.hpp"
#include "engine/pack/whole.hpp"
#include "engine/time.hpp"

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

std::vector<std::string> past_text(const PastDemand& past) {
  std::vector<std::string> lines;
  for (const PastNeed& need : past.needs)
    lines.push_back(fmt::format("{}: {} at most at {}, {} of them held now", need.profile.text, need.peak,
                                utc_text(need.at), need.held_now));
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
