// Points in time by the clocks of the zone. In the night in which clocks are set back an hour comes twice:
// there the name of the zone tells which of the two it is ("02:30 CEST"). Threads: pure but for the time zone
// of the process.
#pragma once

#include <string>

#include "engine/model/units.hpp"

namespace tessera::query {

std::string local_text(TimePoint at);  // "2026-11-24 03:12:30"
std::string clock_text(TimePoint at);  // "03:12"

}  // namespace tessera::query
