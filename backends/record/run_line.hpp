// What a line of a run's journal says to whoever looks back: where the run stands from then on. Its steps are
// for those who read the journal.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/json.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

// line: as the journal has it. nullopt: it says nothing of that kind, or cannot be read.
std::optional<RunNews> news_of(JsonDocument& json, const std::string& run, std::string_view line);

}  // namespace tessera::record
