// Begin and end of a line of the calendar, where these are not moments to print: what holds has begun before,
// and of what goes on for long no end was looked for. Threads: pure functions.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/fleet/windows.hpp"

namespace tessera::fleet {

// The first line of each pool: its phase.begin is the moment that was looked at.
inline bool holds_now(const std::vector<Due>& calendar, const Due& one) {
  return &*std::find_if(calendar.begin(), calendar.end(),
                        [&](const Due& other) { return other.pool == one.pool; }) == &one;
}

// phase_at() looks for an end over eight days, and tells one that is farther away as that day.
inline bool has_no_end(const Due& one) { return one.phase.end >= one.phase.begin + std::chrono::days(8); }

}  // namespace tessera::fleet
