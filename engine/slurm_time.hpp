// Time limits as Slurm writes them. Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "engine/model/units.hpp"

namespace tessera {

// "30", "10:00", "01:00:00", "1-00", "2-12:30", "2-12:30:00"; minutes where nothing tells otherwise. nullopt
// for "UNLIMITED", "Partition_Limit", "INVALID" and whatever is none.
std::optional<Duration> slurm_time_limit(std::string_view text);

}  // namespace tessera
