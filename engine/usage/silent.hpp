// Whether a scheduler still tells who holds what: a recorder goes on writing while one is silent, and what it
// told last stays in each round. Threads: pure function.
#pragma once

#include "engine/model/model.hpp"

namespace tessera::usage {

// Its work was told so long ago that a round of `at` says nothing of it. longest: what a round stands for at
// most; a failure that is over within that time changes nothing.
bool work_is_silent(const Cluster& cluster, TimePoint at, Duration longest);

}  // namespace tessera::usage
