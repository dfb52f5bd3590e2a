// What the builders of all dialects share.
#include "engine/plan/steps/steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace tessera::plan {

std::vector<const Disturbed*> sent_away(const NodeChange& change) {
  const Way way = change.intent.options.way;
  std::vector<const Disturbed*> away;
  if (way == Way::wait) return away;
  for (const Disturbed& one : change.blast_radius)
    if (!one.id.empty() && !one.stays && (way == Way::cancel || one.restartable != false))
      away.push_back(&one);
  return away;
}

std::vector<Step> release_steps(const NodeName& node, Dialect dialect, Scheduler scheduler,
                                const Conditions& proof) {
  Step open = step_for(OpenNode{}, node, dialect, scheduler, std::chrono::seconds(30));
  open.before = {Answering{}, NoForeignMark{}};
  open.before.insert(open.before.end(), proof.begin(), proof.end());
  open.after = {NotClosedByUs{}};
  open.undo = "close the node";
  Step unmark = step_for(ClearMark{}, node, dialect, scheduler, std::chrono::seconds(30));
  unmark.before = proof;
  unmark.after = {NotMarkedByUs{}};
  std::vector<Step> steps{std::move(open), std::move(unmark)};
  name_steps(node, dialect, steps, 0);
  return steps;
}

std::vector<GpuIndex> switched(const NodeChange& change, bool on) {
  std::vector<GpuIndex> gpus;
  for (const BoardChange& board : change.boards)
    if (board.mode_changes && board.after.mig == on) gpus.push_back(board.gpu);
  return gpus;
}

void expect_settled(Step& step, const NodeChange& change) {
  for (bool on : {false, true})
    for (GpuIndex gpu : switched(change, on)) step.after.push_back(ModeIs{{gpu}, on, false});
  step.deadline = std::chrono::minutes(3);
  step.look_every = std::chrono::seconds(2);
  step.retry = kFewRetry;
}

namespace {

std::vector<InstanceAt> beside(const BoardChange& board) {
  return board.dragged ? std::vector<InstanceAt>{} : board.kept;
}

}  // namespace

CreateInstances creation_of(const BoardChange& board) {
  return {board.gpu, board.created, beside(board), board.chosen};
}

void expect_created(Step& step, const BoardChange& board) {
  step.before.push_back(ModeIs{{board.gpu}, true, false});
  // What is made again may stand already, when this step is run a second time.
  std::vector<InstanceAt> gone = board.destroyed;
  std::erase_if(gone, [&](const InstanceAt& one) {
    return std::any_of(board.created.begin(), board.created.end(),
                       [&](const InstanceAt& other) { return other.same(one); });
  });
  if (!gone.empty() && !board.dragged) step.before.push_back(InstancesGone{board.gpu, gone});
  const std::vector<InstanceAt> kept = beside(board);
  if (!kept.empty()) step.before.push_back(InstancesStand{board.gpu, kept});
  step.after = {LayoutIs{board.gpu, board.after.instances, board.chosen}};
  if (!kept.empty()) step.after.push_back(InstancesStand{board.gpu, kept});
  step.retry = kFewRetry;
  step.undo = fmt::format("destroy {}", to_text(board.created));
}

Step step_for(Action action, const NodeName& node, Dialect dialect, Scheduler scheduler, Duration deadline,
              Duration look_every) {
  Step step;
  step.commands = commands_for(action, node, dialect, scheduler, nullptr);
  step.action = std::move(action);
  step.look_every = look_every;
  step.deadline = deadline;
  step.retry = kFewRetry;
  return step;
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

std::vector<std::pair<std::string, std::string>> boards_alike(
    const std::vector<std::pair<GpuIndex, std::string>>& boards) {
  std::vector<std::pair<std::string, std::vector<GpuIndex>>> alike;
  for (const auto& [gpu, text] : boards) {
    auto same = std::find_if(alike.begin(), alike.end(),
                             [&told = text](const auto& one) { return one.first == told; });
    if (same == alike.end()) same = alike.insert(alike.end(), {text, {}});
    same->second.push_back(gpu);
  }
  std::vector<std::pair<std::string, std::string>> lines;
  for (auto& [text, gpus] : alike) lines.emplace_back(boards_text(gpus), std::move(text));
  return lines;
}

namespace {

// What a plan looks for once it has opened its node: it would wait for that in vain before.
std::vector<Step> looks_behind_opening(std::vector<Step>& steps) {
  const auto opens = [](const Step& step) { return std::holds_alternative<OpenNode>(step.action); };
  const auto looks = [](const Step& step) { return std::holds_alternative<LookOnly>(step.action); };
  auto from = std::find_if(steps.begin(), steps.end(), opens);
  if (from != steps.end()) ++from;
  const auto to = std::find_if_not(from, steps.end(), looks);
  std::vector<Step> found(std::make_move_iterator(from), std::make_move_iterator(to));
  steps.erase(from, to);
  return found;
}

}  // namespace

void end_with_release(NodePlan& plan, Dialect dialect, Scheduler scheduler) {
  std::vector<Step> ending = builder_for(dialect).release(plan.node, scheduler);
  std::vector<Step> looks = looks_behind_opening(plan.steps);
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
  const auto opening = std::find_if(ending.begin(), ending.end(), [](const Step& step) {
    return std::holds_alternative<OpenNode>(step.action);
  });
  if (opening != ending.end())
    ending.insert(opening + 1, std::make_move_iterator(looks.begin()), std::make_move_iterator(looks.end()));
  plan.steps.insert(plan.steps.end(), ending.begin(), ending.end());
  name_steps(plan.node, dialect, plan.steps, plan.blast_radius.size());
}

Result<std::string> StepBuilder::missing(const NodeChange& change) const {
  Result<Work> made = work(change);
  if (!made) return made.error();
  return std::move(made->missing);
}

bool StepBuilder::changes_layout(std::string_view begun) const {
  for (const Action& harmless : {Action(SetMark{}), Action(ClearMark{}), Action(CloseNode{}),
                                 Action(OpenNode{}), Action(Evict{}), Action(LookOnly{})})
    if (begun == word(harmless)) return false;
  return true;
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
