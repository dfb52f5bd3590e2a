#include "engine/plan/run/one_first.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/plan/run/closing.hpp"

namespace tessera::plan {
namespace {

// Read again by whoever takes the run up, of another version, too.
constexpr std::string_view kOneFirst = "one-first";

// The last step that waits for work to end: up to it nodes are only closed. nullopt: there is none.
std::optional<std::size_t> last_wait(const NodePlan& plan) {
  for (std::size_t i = plan.steps.size(); i-- > 0;) {
    const Step& step = plan.steps[i];
    if (std::holds_alternative<LookOnly>(step.action) &&
        std::any_of(step.after.begin(), step.after.end(), is_for_work_to_end))
      return i;
  }
  return std::nullopt;
}

bool is_beyond(const Executor& executor) {
  const std::optional<std::size_t> wait = last_wait(executor.plan());
  return wait && executor.step() > *wait;
}

// One that went back to its wait after it was changed in part is the first one still.
bool is_first(const Run& run, const NodeName& node) {
  const Executor& executor = run.nodes.at(node);
  return !executor.finished() && (is_beyond(executor) || has_changed_layout(run, node));
}

bool another_is_first(const Run& run, const NodeName& node) {
  if (!changes_one_first(run.started.plan) || run.nodes.at(node).back() || is_first(run, node) ||
      !summary(run).done.empty())
    return false;
  return std::any_of(run.nodes.begin(), run.nodes.end(),
                     [&](const auto& other) { return other.first != node && is_first(run, other.first); });
}

// What the turn says up to where the wait is over.
std::vector<RunEvent> until_it_is_empty(std::vector<RunEvent> said, const Step& wait) {
  const auto over = std::find_if(said.begin(), said.end(), [&](const RunEvent& event) {
    const auto* done = std::get_if<StepDone>(&event);
    return done && done->step == wait.id;
  });
  said.erase(over, said.end());
  return said;
}

}  // namespace

void change_one_first(Plan& plan) {
  if (plan.nodes.size() < 2) return;
  plan.notices.push_back({Severity::info, std::string(kOneFirst), NodeName(),
                          "its nodes are closed together; the first one that is empty is changed alone, and "
                          "the others once it is done"});
}

bool changes_one_first(const Plan& plan) {
  return std::any_of(plan.notices.begin(), plan.notices.end(),
                     [](const Notice& one) { return one.rule == kOneFirst; });
}

LedTurn next_turn(Run& run, const NodeName& node, const Result<NodeFacts>* fresh, TimePoint now) {
  Executor& executor = run.nodes.at(node);
  if (!another_is_first(run, node)) return {executor.next(fresh, now), false};
  // Whether it is empty shows in the turn itself, which is then given up.
  Executor tried = executor;
  Turn turn = tried.next(fresh, now);
  if (!is_beyond(tried)) {
    executor = std::move(tried);
    return {std::move(turn), false};
  }
  turn.journal =
      until_it_is_empty(std::move(turn.journal), executor.plan().steps[*last_wait(executor.plan())]);
  Parked parked{
      fmt::format("waits until the first node of the run that is empty is done; go on with: tessera "
                  "resume {}",
                  run.started.run),
      tried.place(), Until::empty};
  turn.next = Stopped{parked.why, parked.place};
  turn.journal.emplace_back(std::move(parked));
  for (const RunEvent& event : turn.journal) executor.note(event);
  return {std::move(turn), true};
}

bool others_follow(const Run& run) {
  const Summary now = summary(run);
  return !run.paused && !run.finished && now.failed.empty() && !now.done.empty();
}

}  // namespace tessera::plan
