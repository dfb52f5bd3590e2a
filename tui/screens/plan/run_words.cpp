#include "tui/screens/plan/run_words.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/query/value.hpp"

namespace tessera::tui {
namespace {

RunLook outcome_look(std::string_view outcome, bool undoes) {
  if (outcome == word(plan::Outcome::wanted)) return {"done", Role::good, true};
  if (outcome == word(plan::Outcome::recorded))
    return {undoes ? "undone" : "went back", undoes ? Role::good : Role::dim, true};
  return {"in between", Role::warning, true};
}

}  // namespace

RunLook look_of(const RunHead& head) {
  switch (head.state) {
    case RunState::running: return {head.here ? "under way" : "elsewhere", Role::changing, false};
    case RunState::parked: return {"PARKED", Role::warning, true};
    case RunState::interrupted: return {"INTERRUPTED", Role::danger, true};
    case RunState::finished: return outcome_look(head.outcome, !head.undoes.empty());
    case RunState::marked: return {"colleague's", Role::accent, true};
    case RunState::unreadable: break;
  }
  return {"UNREADABLE", Role::danger, true};
}

RunLook look_of(const UiState& state, const std::string& run) {
  auto opened = state.runs.opened.find(run);
  // The journal is newer than the list about a run that was opened.
  if (opened != state.runs.opened.end()) {
    const plan::Run& folded = opened->second->run;
    if (folded.finished) return outcome_look(word(folded.finished->outcome), !folded.started.undoes.empty());
    plan::Summary summary = plan::summary(folded);
    bool stopped = !summary.failed.empty() || !summary.waiting.empty();
    if (stopped && summary.running.empty()) return {"PARKED", Role::warning, true};
  }
  for (const RunHead& head : state.runs.heads)
    if (head.run == run) return look_of(head);
  return {"under way", Role::changing, false};
}

NodeLook look_of(const RunView& view, const NodeName& node) {
  const plan::Executor& executor = view.run.nodes.at(node);
  NodeLook look;
  std::size_t step = executor.step();
  const auto& steps = view.run.plans.at(node).steps;
  auto progress = step < steps.size() ? view.steps.find(steps[step].id) : view.steps.end();
  if (progress != view.steps.end()) look.why = progress->second.why;
  if (view.questions.contains(node) && !view.parked.contains(node)) {
    look.stage = NodeLook::Stage::current, look.word = "asks", look.role = Role::warning;
    look.why = view.questions.at(node).text;
    return look;
  }
  if (auto parked = view.parked.find(node); parked != view.parked.end()) {
    bool planned = parked->second.until != plan::Until::someone;
    look.stage = planned ? NodeLook::Stage::current : NodeLook::Stage::failed;
    look.word = planned ? "waits" : "PARKED", look.role = Role::warning;
    look.why = parked->second.why;
    return look;
  }
  switch (plan::stage_of(view.run, node)) {
    case plan::NodeStage::waiting:
      look.stage = NodeLook::Stage::current, look.word = "waits", look.role = Role::warning;
      break;
    case plan::NodeStage::untouched: look.word = "to do"; break;
    case plan::NodeStage::running:
      look.stage = NodeLook::Stage::current, look.role = Role::changing;
      look.word = view.turned.contains(node) ? "going back" : "under way";
      break;
    case plan::NodeStage::done:
      look.stage = NodeLook::Stage::done, look.word = "done", look.role = Role::good;
      break;
    case plan::NodeStage::failed:
      look.stage = NodeLook::Stage::failed, look.role = Role::warning;
      look.word = executor.finished() ? "went back" : "stopped";
      break;
  }
  return look;
}

std::string sign_of(const RunLook& look, bool ascii) {
  if (!look.over) return sign_of(NodeLook::Stage::current, look.role, ascii);
  switch (look.role) {
    case Role::danger:
    case Role::warning: return sign_of(NodeLook::Stage::failed, look.role, ascii);
    case Role::accent: return sign_of(NodeLook::Stage::todo, look.role, ascii);  // only its mark is known
    default: return sign_of(NodeLook::Stage::done, look.role, ascii);
  }
}

std::string sign_of(NodeLook::Stage stage, Role role, bool ascii) {
  switch (stage) {
    case NodeLook::Stage::done: return ascii ? "Y" : "✓";
    case NodeLook::Stage::current: return ascii ? ">" : "▸";
    case NodeLook::Stage::failed: return role == Role::danger ? "!!" : "!";
    case NodeLook::Stage::todo: break;
  }
  return ascii ? "." : "·";
}

std::string progress_text(const RunView& view) {
  if (view.run.finished) return "";
  if (view.run.plans.size() != 1) return plan::to_text(plan::summary(view.run));
  const plan::Executor& executor = view.run.nodes.begin()->second;
  std::size_t count = executor.plan().steps.size();
  if (count == 0 || executor.finished()) return "";
  return fmt::format("step {} of {}", std::min(executor.step() + 1, count), count);
}

std::string clock_text(Duration passed) {
  auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
  if (seconds < 3600) return fmt::format("{:02}:{:02}", seconds / 60, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
}

std::string seconds_text(Duration passed) {
  if (passed < Duration(60000)) return fmt::format("{:.1f} s", static_cast<double>(passed.count()) / 1000);
  return query::duration_text(std::chrono::duration_cast<std::chrono::seconds>(passed).count());
}

}  // namespace tessera::tui
