// How long the steps of a plan usually take: an estimate to plan the night by, never a limit.
//
// The figures are those that were measured or that a program's documentation gives; the file with them says
// which. Waiting for workloads has no usual length: their own time limits bound it.
// Threads: pure functions.
#pragma once

#include <optional>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// nullopt: it ends when someone's work does.
std::optional<Duration> usual(const Step& step);
// The time that the GPUs and their driver need for it; 0: it is a call and no more.
Duration usual_on_gpus(const Action& action);

// All steps of a node one after another, those without a usual length left out.
Duration usual(const NodePlan& node);
// All nodes of the plan as they are done: the canaries alone, then so many at a time.
Duration usual(const Plan& plan);

// Whether a step of it waits for workloads to leave.
bool waits_for_work(const Plan& plan);

}  // namespace tessera::plan
