// What --at means to a command: a moment of a recording, the end of a stretch of time, or a time to come.
// Threads: pure but for the time zone of the process.
#pragma once

#include <optional>
#include <string_view>

#include "engine/error.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

// The newest round of a recording, in place of a time.
inline constexpr std::string_view kNow = "now";

// Whether the command shows clusters as a recording has them: replay, lists and the like with --at, fleet
// where it holds a file against them, and whatif with a time that is over; one that is still to come is when
// its plan acts.
bool looks_back(const Options& options, TimePoint wall);

// Until when a command that sums up is to look, or advise is to count; nullopt: until the newest. Errors: it
// is no time, or still to come.
Result<std::optional<TimePoint>> end_of(const Options& options, TimePoint now);

}  // namespace tessera::cli
