// From the guide's result to a plan: the decision that is written down, and the wish that a proposal is.
// Threads: pure functions.
#pragma once

#include "engine/guide/guide.hpp"
#include "engine/plan/intent.hpp"

namespace tessera::guide {

// Precondition: the result has a strategy.
plan::Decision decision_of(const GuideResult& result);

// One wish for all boards of a proposal, places left to the planner unless it is about one board. Errors say
// why it cannot be one wish: each board has a layout of its own, or only the hypervisor knows the types.
Result<plan::Wish> wish_of(const Proposal& proposal, Scheduler scheduler);

}  // namespace tessera::guide
