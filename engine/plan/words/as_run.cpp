#include "engine/plan/words/as_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/plan/notices.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/slurm_words.hpp"

namespace tessera::plan {
namespace {

constexpr std::size_t kNamed = 2;  // slices of one GPU; more are counted

// "3g.40gb@4": by its profile, where it is one that goes.
std::string slice_name(const NodePlan& node, GpuIndex gpu, const Placement& at) {
  for (const SlicePlan& one : node.destroyed)
    if (one.gpu == gpu && one.at == at) return fmt::format("{}@{}", one.profile.text, at.start);
  return fmt::format("@{}", at.start);
}

// "3g.40gb@4", "7 slices"; empty: the whole GPU.
std::string slices_text(const Scope::Board& board, const NodePlan& node) {
  if (board.slices.size() > kNamed) return fmt::format("{} slices", board.slices.size());
  std::string names;
  for (const Placement& one : board.slices)
    names += (names.empty() ? "" : ", ") + slice_name(node, board.gpu, one);
  return names;
}

// "GPU 0-3", "GPU 1: 3g.40gb@4"; empty: the whole node.
std::string scope_text(const Scope& scope, const NodePlan& node) {
  std::vector<std::pair<GpuIndex, std::string>> boards;
  for (const Scope::Board& board : scope.boards) boards.emplace_back(board.gpu, slices_text(board, node));
  const auto alike = boards_alike(boards);
  if (alike.size() == 1 && !alike.front().second.empty())
    return fmt::format("{}: {}", alike.front().first, alike.front().second);
  std::string text;
  for (const auto& [gpus, slices] : alike)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", gpus,
                        slices.empty() ? "" : fmt::format(" ({})", slices));
  return text;
}

const Scope* waited_for(const Step& step) {
  if (!std::holds_alternative<LookOnly>(step.action)) return nullptr;
  for (const Condition& one : step.after)
    if (const auto* empty = std::get_if<ScopeEmpty>(&one)) return &empty->scope;
  return nullptr;
}

bool opens_to_look(const Action& action) {
  const auto* own = std::get_if<Special>(&action);
  return own && own->verb == slurm::verb::kOpenToLook;
}

// The executor asks at the closing, and finds the opening done: it is not closed by the run.
void leave_closed(Step& step, const NodeName& node) {
  const bool closes = std::holds_alternative<CloseNode>(step.action);
  const bool opens = std::holds_alternative<OpenNode>(step.action);
  if (closes) step.title = fmt::format("ask: {} is closed already by another", node.text);
  if (opens) step.title = fmt::format("leave {} closed: another has closed it", node.text);
  if (!closes && !opens && !opens_to_look(step.action)) return;
  step.commands.clear();
  step.undo.clear();
}

}  // namespace

bool stays_closed(const Plan& plan, const NodeName& node) {
  return std::any_of(plan.notices.begin(), plan.notices.end(),
                     [&](const Notice& one) { return one.node == node && is_left_closed(one); });
}

std::string shown_title(const Step& step, const NodePlan& node) {
  const Scope* scope = waited_for(step);
  const std::string what = scope ? scope_text(*scope, node) : "";
  // Where work is there, the title counts whom it waits for, and the plan names them.
  if (what.empty() || !node.blast_radius.empty()) return step.title;
  return "wait until no workload holds " + what;
}

std::vector<Step> steps_as_run(const Plan& plan, const NodePlan& node) {
  return steps_as_run(node, stays_closed(plan, node.node));
}

std::vector<Step> steps_as_run(const NodePlan& node, bool left_closed) {
  std::vector<Step> steps = node.steps;
  for (Step& step : steps) {
    step.title = shown_title(step, node);
    if (left_closed) leave_closed(step, node.node);
  }
  return steps;
}

}  // namespace tessera::plan
