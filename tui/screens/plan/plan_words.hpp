// Plans in words, for the plan and run screens.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::tui {

// What reading back has to show: "GPU 0: 3g.40gb@4 stands", "free of work".
std::string seen_text(const plan::Condition& condition);
std::string seen_text(const plan::Conditions& conditions);
// "closing the node, a GPU reset"; "nothing but the change itself"
std::string needs_text(const plan::Needs& needs);
// "GPU 0 1g.10gb@0 1g.10gb@1", one line a GPU
std::vector<std::string> slices_text(const std::vector<plan::SlicePlan>& slices);
// "30 s", "2 min", "-" for as long as it takes
std::string deadline_text(Duration deadline);
// "wait until it ends", "requeue it", "end it"
std::string_view way_text(plan::Way way);

}  // namespace tessera::tui
