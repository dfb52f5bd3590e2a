// Who starts when by a forecast (engine/whatif), in the words that the answers of packing and of advice
// share. Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/whatif/whatif.hpp"

namespace tessera::tui {

// "in 5 min", from the moment at which it was asked, "now"; of a start: "no start" where there is none.
std::string when_text(const whatif::Comparison& forecast, const std::optional<TimePoint>& at);
// "88142 (erin, 1 × gpu:7g.80gb): in 5m, without the plan no start"
std::string start_text(const whatif::Comparison& forecast, const whatif::Moved& one);

}  // namespace tessera::tui
