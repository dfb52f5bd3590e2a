#include "engine/plan/run/teller.hpp"

#include <fmt/format.h>

namespace tessera::plan {

void Teller::keep(const NodePlan& plan) {
  auto& titles = titles_[plan.node];
  titles.clear();
  for (const Step& step : plan.steps) titles[step.id] = step.title;
}

std::string Teller::tell(const Entry& entry) {
  if (const auto* started = std::get_if<RunStarted>(&entry.what))
    for (const NodePlan& plan : started->plan.nodes) keep(plan);
  if (const auto* replanned = std::get_if<Replanned>(&entry.what))
    for (const NodePlan& plan : replanned->plan.nodes) keep(plan);
  const auto* begun = std::get_if<StepBegun>(&entry.what);
  const auto node = titles_.find(entry.node);
  if (!begun || node == titles_.end()) return to_sentence(entry.what);
  const auto title = node->second.find(begun->step);
  if (title == node->second.end()) return to_sentence(entry.what);
  return begun->attempt == 1
             ? fmt::format("step {}: {}", begun->step, title->second)
             : fmt::format("step {}: {}, attempt {}", begun->step, title->second, begun->attempt);
}

}  // namespace tessera::plan
