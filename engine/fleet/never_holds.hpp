// Windows of a fleet file that are never in force, since windows above them are at all of their times: of
// several the first counts. Told by the days of a week and the holidays of the file, whatever the year.
// Threads: pure functions; what is returned points into the fleet.
#pragma once

#include <string>
#include <vector>

#include "engine/fleet/fleet.hpp"

namespace tessera::fleet {

struct NeverHolds {
  const Pool* pool = nullptr;
  const Window* window = nullptr;
  // That are in force at its times; empty: it is for holidays alone, and the file lists none.
  std::vector<const Window*> instead;
};
std::vector<NeverHolds> windows_that_never_hold(const Fleet& fleet);

// Of its pool: "its window daily 20:00-07:00 (line 8) never holds: the window above it in line 7 holds at all
// of its times".
std::string to_text(const NeverHolds& one);

}  // namespace tessera::fleet
