// Which lines of the calendar hold already: their begin is no moment to print. Threads: pure functions.
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

}  // namespace tessera::fleet
