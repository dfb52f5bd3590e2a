// Whether a run leaves a node closed that another has closed, as its journal tells so far.
// Threads: pure functions.
#pragma once

#include <vector>

#include "engine/plan/run/journal.hpp"

namespace tessera::plan {

// The plan tells what was so when it was made; an answer to the run's question and a closing of its own count
// for more.
bool run_leaves_closed(const Plan& plan, const std::vector<Entry>& journal, const NodeName& node);

}  // namespace tessera::plan
