// By what the hours of jobs and pods that wait can be summed up.
// Threads: pure function.
#pragma once

#include "engine/usage/report.hpp"

namespace tessera::usage {

// What waits has no profile and no node yet: by these it is not known how long was waited, which is not 0.
constexpr bool tells_waiting(By by) { return by != By::profile && by != By::node; }

}  // namespace tessera::usage
