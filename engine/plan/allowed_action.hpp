// Whether what a plan does to a node as a whole is what was wished for: see allowed.hpp. Threads: pure
// functions.
#pragma once

#include <optional>
#include <string>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Nodes are closed, opened, restarted or rebooted, and their GPUs reset, only where that was wished for, and
// nothing else is done to them then. nullopt: it is so. intent: of that node alone.
std::optional<std::string> why_other_action(const NodePlan& node, const Intent& intent);

}  // namespace tessera::plan
