// From when on something counts as wasted: what a site sets, and what counts where it sets nothing.
// docs/time.md defines each kind. Threads: plain values,
// and a pure function.
#pragma once

#include <string>

#include "engine/model/units.hpp"

namespace tessera::usage {

struct Limits {
  Duration idle_after{900'000};
  double idle_below = 1;    // percent of use
  double parked_from = 30;  // percent of the slice's memory that is kept
  double spare = 20;        // percent that a smaller profile must have left
  double percentile = 95;   // of use, which it must have room for
  Duration unasked_after{7LL * 24 * 3'600'000};
  // A slice that no job or pod holds is in use from these on; a driver alone takes less.
  Duration rogue_after{900'000};
  double rogue_memory = 10;  // percent of the slice's memory
};

// In one line, for what is printed. of_rounds: false where an accounting tells, which knows idle and too big
// alone, and no percentile.
std::string limits_text(const Limits& limits, bool of_rounds);

}  // namespace tessera::usage
