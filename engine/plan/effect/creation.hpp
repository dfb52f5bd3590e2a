// In which order instances are made, so that the driver's own choice of places leads into no dead end.
//
// A driver that is only told profiles takes the first free start of its own preference; 1g.10gb twice before
// 2g.20gb and 3g.40gb then splits both halves of an 8-unit GPU.
// Threads: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "engine/mig/geometry.hpp"

namespace tessera::plan {

// The starts that the driver tries for a profile, first choice first. Observed on A100 and H100: an empty GPU
// fills from the upper half, so that 0 stays free for longest.
std::vector<int> driver_starts(const mig::Product& product, int profile);

// Where the driver would put one more; nullopt: no room.
std::optional<int> driver_start(const mig::Product& product, const mig::Layout& standing, int profile);

// An order in which the driver makes all of `wanted` beside `standing`, with the places that come of it: at
// the wanted starts if any order leads there, else wherever they all fit; nullopt: no order does.
std::optional<std::vector<mig::Placed>> driver_order(const mig::Product& product, const mig::Layout& standing,
                                                     const mig::Layout& wanted);

// Where starts can be chosen every order works: largest first reads best.
std::vector<mig::Placed> largest_first(const mig::Product& product, const mig::Layout& wanted);

}  // namespace tessera::plan
