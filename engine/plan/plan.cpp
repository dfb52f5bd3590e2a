#include "engine/plan/plan.hpp"

#include <algorithm>

#include "engine/plan/words/operator_words.hpp"

namespace tessera::plan {

Basis basis_of(const Plan& plan) {
  return plan.made_from.empty() ? basis_of(plan.setup, plan.intent.nodes, outside_of(plan)) : plan.made_from;
}

Outside outside_of(const Plan& plan) {
  const auto writes = [](const Step& step) {
    const auto* special = std::get_if<Special>(&step.action);
    return special && (special->verb == verbs::kWriteMigConfig ||
                       special->verb == verbs::kWritePluginConfig || special->verb == verbs::kPatchPolicy);
  };
  const bool any = std::any_of(plan.nodes.begin(), plan.nodes.end(), [&](const NodePlan& node) {
    return std::any_of(node.steps.begin(), node.steps.end(), writes);
  });
  return any ? Outside::each : Outside::none;
}

std::string_view word(Hit hit) {
  switch (hit) {
    case Hit::holds: return "holds";
    case Hit::in_the_way: return "in-the-way";
    case Hit::unasked: return "unasked";
    case Hit::unknown: return "unknown";
  }
  return "holds";
}

}  // namespace tessera::plan
