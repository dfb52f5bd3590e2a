// A time of the past as people type it: "03:12", "yesterday 03:12", "2026-11-24 03:12", "-2h", or in UTC with
// a Z behind it: "2026-11-24T03:12Z". Threads: pure but for the time zone of the process.
#pragma once

#include <string_view>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::tui {

// Without a day it is the last such time before `now`. Errors: no time; an hour that the clocks left out; a
// time that is still to come. An hour that the clocks ran through twice is the first of the two.
Result<TimePoint> parse_past(std::string_view text, TimePoint now);

}  // namespace tessera::tui
