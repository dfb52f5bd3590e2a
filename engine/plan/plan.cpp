#include "engine/plan/plan.hpp"

namespace tessera::plan {

Basis basis_of(const Plan& plan) {
  return plan.made_from.empty() ? basis_of(plan.capabilities, plan.intent.nodes) : plan.made_from;
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
