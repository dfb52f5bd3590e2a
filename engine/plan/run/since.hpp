// What others have done to a node since a run was there: going back would overrule it.
// Threads: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// As sentences; empty: nothing. run: the node's plans under that run, the first of which says what it found.
// now: a plan made from what stands. An order is of others when the run neither found nor gave it, a layout
// when it has more of anything than was found or wished for. What was not recorded is not judged.
std::vector<std::string> done_by_others(const std::vector<const NodePlan*>& run, const NodePlan& now);

}  // namespace tessera::plan
