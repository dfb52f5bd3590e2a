#include "engine/fleet/rests.hpp"

#include <algorithm>
#include <string_view>

#include "engine/plan/node_action.hpp"
#include "engine/plan/run/closing.hpp"

namespace tessera::fleet {
namespace {

// Read again by whoever takes the run up, of another version, too.
constexpr std::string_view kWords = "its fleet file was paused while it was under way, since {}";
constexpr std::string_view kResting = kWords.substr(0, kWords.find('{'));

bool rests(const plan::Executor& node) {
  return node.stopped() && !node.finished() && !node.step_failed() &&
         node.stopped()->why.starts_with(kResting);
}

}  // namespace

std::string resting_words(const std::string& since) { return std::string(kResting) + since; }

std::vector<NodeName> failed_but_resting(const plan::Run& run) {
  std::vector<NodeName> failed = plan::summary(run).failed;
  std::erase_if(failed, [&](const NodeName& node) { return rests(run.nodes.at(node)); });
  return failed;
}

// A person who pauses it later, or a signal, has other words.
bool rests_by_pause(const plan::Run& run) {
  return !run.finished && run.paused && run.paused_why.starts_with(kResting) &&
         plan::summary(run).running.empty() && failed_but_resting(run).empty();
}

bool has_only_closed(const plan::Run& run) {
  if (!rests_by_pause(run)) return plan::only_closes(run);
  if (plan::is_node_action(run.started.plan.intent)) return false;
  return std::none_of(run.nodes.begin(), run.nodes.end(), [&](const auto& one) {
    const auto& [node, executor] = one;
    return executor.touched() && !executor.finished() &&
           (run.replanned.contains(node) || plan::has_changed_layout(run, node));
  });
}

}  // namespace tessera::fleet
