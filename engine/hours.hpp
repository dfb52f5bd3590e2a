// A span of time as the number of hours that sums and reports tell. Threads: pure functions.
#pragma once

#include "engine/model/units.hpp"

namespace tessera {

inline double hours_of(Duration time) {
  return std::chrono::duration<double, std::ratio<3600>>(time).count();
}

}  // namespace tessera
