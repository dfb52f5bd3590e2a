// From the guide's result to a plan: the decision that is written down, and the wish that a proposal is.
// Threads: pure functions.
#pragma once

#include "engine/guide/guide.hpp"
#include "engine/plan/intent.hpp"

namespace tessera::guide {

// Precondition: the result has a strategy.
plan::Decision decision_of(const GuideResult& result);

// It has a layout of its own for each GPU.
bool is_for_each(const Proposal& proposal);
// One wish for all GPUs of a proposal, places left to the planner. Errors say why it cannot be one wish:
// each GPU has a layout of its own, the types of vGPU are not known, or the scheduler makes none.
Result<plan::Wish> wish_of(const Proposal& proposal, Scheduler scheduler);
// What a plan is to make of each GPU, or of the `gpus` of each node (empty: all of them).
Result<std::vector<plan::BoardWish>> wishes_of(const Proposal& proposal, Scheduler scheduler,
                                               const std::vector<GpuIndex>& gpus);

}  // namespace tessera::guide
