// Which limits of waste a recording can tell.
// Threads: pure function.
#pragma once

#include "engine/error.hpp"
#include "engine/usage/limits.hpp"

namespace tessera::usage {

// A recorder writes use again when it has moved by ten points, or crosses 1 % (docs/time.md): only that it is
// below 1 % is exact. Errors: idle-below is something else.
Status can_be_told_by_recording(const Limits& limits);

}  // namespace tessera::usage
