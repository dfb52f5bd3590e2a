// Times in which a figure was not measured, though it was before.
// Threads: pure functions.
#pragma once

#include <vector>

#include "engine/history/spark.hpp"

namespace tessera::history {

struct Gap {
  TimePoint from{}, to{};
  friend bool operator==(const Gap&, const Gap&) = default;
};

// Two samples farther apart than this leave a gap: four usual steps, and three minutes at least, since
// sources ask nodes that are on no screen less often. pace: at which the cluster is asked, or was recorded;
// half of it more is a round that came late.
Duration longest_step(const Summary& summary, Duration pace = Duration{0});

// Between two samples, and behind the last one until `to`; oldest first. None before the first sample: when
// measuring began is no gap.
std::vector<Gap> gaps_of(const std::vector<Sample>& samples, Figure figure, TimePoint to,
                         Duration pace = Duration{0});

}  // namespace tessera::history
