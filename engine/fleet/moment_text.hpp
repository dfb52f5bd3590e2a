// Moments of windows as the calendar tells them: by the clocks of the file's zone. Threads: pure functions.
#pragma once

#include <string>

#include "engine/fleet/fleet.hpp"
#include "engine/fleet/zone.hpp"

namespace tessera::fleet {

// "Mon 2026-11-23 20:00", with seconds where it has any.
std::string moment_text(const Zone& zone, TimePoint at);
// With the zone, for a sentence that stands alone: "Mon 2026-11-23 20:00 Europe/Berlin". zone: the file's.
std::string moment_text(const Fleet& fleet, const Zone& zone, TimePoint at);

std::string zone_name(const Fleet& fleet);  // of its windows: "Europe/Berlin", "UTC"

}  // namespace tessera::fleet
