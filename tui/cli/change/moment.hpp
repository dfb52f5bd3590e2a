// A time to come, as --at has it. Threads: pure but for the time zone of the process.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/units.hpp"

namespace tessera::cli {

// "2026-11-21T22:00Z", "2026-11-21 22:00:30", "22:00" (the next), "+2h"; without Z in local time, which is
// that of this process; of an hour that comes twice the first. nullopt: not a time, or one that the clocks
// leave out.
std::optional<TimePoint> parse_moment(std::string_view text, TimePoint now);

}  // namespace tessera::cli
