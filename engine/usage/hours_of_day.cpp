#include "engine/usage/hours_of_day.hpp"

#include <algorithm>
#include <chrono>

namespace tessera::usage {
namespace {

std::size_t hour_of_day(TimePoint at) {
  const auto since = at - std::chrono::floor<std::chrono::days>(at);
  return static_cast<std::size_t>(since / std::chrono::hours(1));
}

}  // namespace

std::vector<HoursOfDay> hours_of_day(const std::vector<DemandHour>& all) {
  std::vector<HoursOfDay> rows;
  for (const DemandHour& one : all) {
    if (rows.empty() || rows.back().cluster != one.cluster || rows.back().profile != one.profile)
      rows.push_back({one.cluster, one.profile, {}});
    std::optional<OfHour>& hour = rows.back().hours[hour_of_day(one.hour)];
    if (!hour) hour.emplace();
    hour->peak = std::max(hour->peak, one.peak);
    hour->mean += (one.peak - hour->mean) / ++hour->days;
  }
  return rows;
}

}  // namespace tessera::usage
