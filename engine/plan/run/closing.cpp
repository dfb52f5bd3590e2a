#include "engine/plan/run/closing.hpp"

#include <algorithm>

#include "engine/plan/node_action.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/operator_words.hpp"

namespace tessera::plan {

bool only_closes(const Run& run) {
  const Summary stages = summary(run);
  if (run.finished || stages.waiting.empty() || !stages.failed.empty() || !stages.running.empty() ||
      is_node_action(run.started.plan.intent))
    return false;
  return std::none_of(stages.waiting.begin(), stages.waiting.end(), [&](const NodeName& node) {
    return run.replanned.contains(node) || has_changed_layout(run, node);
  });
}

bool waits_as_planned(const Run& run) {
  const Summary stages = summary(run);
  return !run.finished && stages.failed.empty() && stages.running.empty() && !stages.waiting.empty();
}

bool has_changed_layout(const Run& run, const NodeName& node, const StepBuilder& builder) {
  auto begun = run.begun.find(node);
  return begun != run.begun.end() &&
         std::any_of(begun->second.begin(), begun->second.end(),
                     [&](const std::string& one) { return builder.changes_layout(one); });
}
bool has_changed_layout(const Run& run, const NodeName& node) {
  return has_changed_layout(run, node, builder_for(run.started.plan.means().dialect));
}

std::size_t taken_up_after_kills(const std::vector<Entry>& journal) {
  const auto* started = journal.empty() ? nullptr : std::get_if<RunStarted>(&journal.front().what);
  if (!started) return 0;
  Run run = run_of(*started);
  std::size_t times = 0;
  for (const Entry& entry : journal) {
    if (entry.node.empty() && std::holds_alternative<Resumed>(entry.what) && !run.finished) {
      const Summary stages = summary(run);
      const bool at_rest = run.paused || !stages.failed.empty() || !stages.waiting.empty();
      if (!stages.running.empty() || !at_rest) ++times;
    }
    if (!note(run, entry)) break;
  }
  return times;
}

bool is_for_work_to_end(const Condition& condition) {
  const auto* word = std::get_if<WordIs>(&condition);
  return std::holds_alternative<ScopeEmpty>(condition) || (word && word->key == words::kSlurmWork);
}

}  // namespace tessera::plan
