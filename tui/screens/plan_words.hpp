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
// "requeues", "WILL END", "we wait"
std::string fate_text(const plan::Disturbed& one, plan::Way way);
// "job 88120", "pod ml/train-0", "unknown client"
std::string name_text(const plan::Disturbed& one);
// "2 jobs of 2 owners, 9 GPUs, 17 GPU-hours so far"; "nobody"
std::string disturbs_text(const plan::Plan& plan);
// "drain, MIG mode change, GPU reset"; "nothing but the change itself"
std::string needs_text(const plan::Needs& needs);
// "GPU 0 1g.10gb@0 1g.10gb@1", one line a board
std::vector<std::string> slices_text(const std::vector<plan::SlicePlan>& slices);
// "30 s", "2 min", "-" for as long as it takes
std::string deadline_text(Duration deadline);
// "wait until it ends", "requeue it", "end it"
std::string_view way_text(plan::Way way);

}  // namespace tessera::tui
