// Nodes of a plan of which the same is planned, but for their names: a preview shows them once.
// Threads: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::cli {

struct AlikeNodes {
  const plan::NodePlan* first = nullptr;  // of the plan, which must stay
  std::vector<std::string> names;         // of all of them, in the plan's order
};

// In the order of their first nodes. shown: what a preview says of one node beside its steps.
std::vector<AlikeNodes> alike(const plan::Plan& plan,
                              const std::function<std::string(const plan::NodePlan&)>& shown);

}  // namespace tessera::cli
