// What tells one plan from another. Threads: pure functions.
#pragma once

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Sets fingerprint and id, once the nodes, the intent and the time are there.
void identify(Plan& plan);

}  // namespace tessera::plan
