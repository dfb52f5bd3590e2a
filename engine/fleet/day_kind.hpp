// What a day is for the windows of a fleet file: a weekday, or a holiday, which counts as no weekday.
// Threads: pure functions.
#pragma once

#include <chrono>
#include <set>

#include "engine/fleet/fleet.hpp"

namespace tessera::fleet {

inline constexpr int kHoliday = 7;  // 0 to 6: Monday to Sunday

inline int kind_of(std::chrono::sys_days day, const std::set<std::chrono::sys_days>& holidays) {
  if (holidays.contains(day)) return kHoliday;
  return static_cast<int>(std::chrono::weekday(day).iso_encoding()) - 1;
}

inline bool begins_on(const When& when, int kind) {
  return kind == kHoliday ? when.holidays : (when.days >> kind & 1) != 0;
}

}  // namespace tessera::fleet
