// What the builders of all dialects share.
#include "engine/plan/steps.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::plan {

std::vector<const Disturbed*> sent_away(const NodeChange& change) {
  const Way way = change.intent.options.way;
  std::vector<const Disturbed*> away;
  if (way == Way::wait) return away;
  for (const Disturbed& one : change.blast_radius)
    if (!one.id.empty() && (way == Way::cancel || one.restartable != false)) away.push_back(&one);
  return away;
}

std::string boards_text(const std::vector<GpuIndex>& gpus) {
  std::string text = "GPU ";
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    // Runs of neighbours read as "0-3".
    std::size_t last = i;
    while (last + 1 < gpus.size() && gpus[last + 1].value == gpus[last].value + 1) ++last;
    if (i > 0) text += ',';
    text += std::to_string(gpus[i].value);
    if (last > i) text += fmt::format("-{}", gpus[last].value);
    i = last;
  }
  return text;
}

void number_steps(const NodeName& node, std::vector<Step>& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i].id = fmt::format("{}/{}", node.text, i + 1);
}

void end_with_release(NodePlan& plan, const StepBuilder& builder, Scheduler scheduler) {
  std::vector<Step> ending = builder.release(plan.node, scheduler);
  Conditions proof;
  for (Step& step : ending) {
    auto own = std::find_if(plan.steps.begin(), plan.steps.end(),
                            [&](const Step& old) { return old.action == step.action; });
    if (own == plan.steps.end()) continue;
    step = std::move(*own);
    plan.steps.erase(own);
    proof = step.before;
  }
  // A step that the plan did without proves as much as the others do.
  for (Step& step : ending)
    for (const Condition& one : proof)
      if (std::find(step.before.begin(), step.before.end(), one) == step.before.end())
        step.before.push_back(one);
  plan.steps.insert(plan.steps.end(), ending.begin(), ending.end());
  number_steps(plan.node, plan.steps);
}

const StepBuilder& builder_for(Dialect dialect) {
  static const DirectSteps direct;
  static const OperatorSteps gpu_operator;
  static const SlurmSteps slurm;
  switch (dialect) {
    case Dialect::direct: return direct;
    case Dialect::gpu_operator: return gpu_operator;
    case Dialect::slurm: return slurm;
  }
  return direct;
}

}  // namespace tessera::plan
