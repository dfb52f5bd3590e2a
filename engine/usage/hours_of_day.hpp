// The hours of the day in which most was needed, over all days that were looked at: what a layout for the day
// or for the night has to offer. Threads: pure functions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/usage/demand.hpp"

namespace tessera::usage {

struct OfHour {
  int peak = 0;     // the most of any day
  double mean = 0;  // of the peaks of these days
  int days = 0;     // of which something of this hour is recorded
};

// Of one cluster and profile; by hour of the day, in UTC. nullopt: no such hour is recorded.
struct HoursOfDay {
  ClusterName cluster;
  std::string profile;
  std::array<std::optional<OfHour>, 24> hours;
};

// In the order of by_hour(). An hour in which nothing was needed counts as 0.
std::vector<HoursOfDay> hours_of_day(const std::vector<DemandHour>& all);

}  // namespace tessera::usage
