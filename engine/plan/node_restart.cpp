#include "engine/plan/node_restart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/operator_setup.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::plan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

// Image pulls aside, a plugin is ready some seconds after its pod was deleted; a termination takes up to 30
// s.
constexpr Duration kReady = minutes(3), kOffered = minutes(2);

class RestartSteps {
 public:
  RestartSteps(const NodeName& node, const Means& can, Scheduler scheduler)
      : node_(node), can_(can), scheduler_(scheduler) {}

  Step& add(Action action, Duration deadline) {
    return steps_.emplace_back(step_for(std::move(action), node_, can_.dialect, scheduler_, deadline));
  }
  void unmark(Conditions proof) {
    Step& step = add(ClearMark{}, seconds(30));
    step.before = std::move(proof);
    step.after = {NotMarkedByUs{}};
  }
  std::vector<Step> take() {
    name_steps(node_, can_.dialect, steps_, 0);
    return std::move(steps_);
  }

 private:
  const NodeName& node_;
  const Means& can_;
  Scheduler scheduler_;
  std::vector<Step> steps_;
};

WordIs well(std::string_view key) { return {std::string(key), ""}; }

}  // namespace

Special restart_plugin(std::string ns) {
  return {std::string(restarts::kPlugin), {{"namespace", std::move(ns)}}};
}

bool is_restart(const Special& act) { return act.verb == restarts::kPlugin; }

std::optional<Error> why_no_plugin_restart(const Node& node, Scheduler scheduler, Dialect dialect) {
  if (scheduler != Scheduler::kubernetes)
    return Error{"", "Slurm has no device plugin: slurmd itself reports the GPUs of its node",
                 "restart slurmd on the node instead"};
  if (node.health == Health::down || node.health == Health::unknown)
    return Error{"", "its kubelet does not answer, so that no new pod would start there",
                 "restart it once the node answers"};
  if (dialect != Dialect::gpu_operator) return std::nullopt;
  const auto plugin = std::find_if(node.components.begin(), node.components.end(),
                                   [](const Component& one) { return one.name == "device plugin"; });
  const std::string look =
      "kubectl get pods --all-namespaces --field-selector spec.nodeName=" + node.name.text;
  if (plugin == node.components.end())
    return Error{"", "no device plugin that tessera knows runs there", look};
  if (plugin->state == Part::ready || plugin->state == Part::not_ready) return std::nullopt;
  const bool paused = plugin->state == Part::paused;
  return Error{"",
               fmt::format("its device plugin {}: {}", paused ? "is paused" : "has no pod", plugin->detail),
               paused ? "it starts again once the MIG manager has ended its work" : look};
}

std::string offers_by_plugin(const NodeFacts& facts) {
  const bool any = std::any_of(facts.advertised.begin(), facts.advertised.end(), [](const auto& one) {
    return one.second > 0 && sharing::parse_resource(one.first, Scheduler::kubernetes);
  });
  return any ? "" : facts.node.name.text + " advertises no GPU";
}

std::vector<Step> plugin_restart_steps(const NodeName& node, const Means& can, Scheduler scheduler,
                                       bool break_lock) {
  RestartSteps steps(node, can, scheduler);
  Step& mark = steps.add(SetMark{break_lock}, seconds(30));
  mark.before = {Answering{}};
  if (!break_lock) mark.before.push_back(NoForeignMark{});
  mark.after = {MarkIsOurs{}};
  mark.undo = "remove tessera's mark";
  const bool by_operator = can.gpu_operator && !can.gpu_operator->policy.empty();
  Step& restart = steps.add(restart_plugin(by_operator ? can.gpu_operator->ns : ""), kReady);
  restart.before = {Answering{}, MarkIsOurs{}};
  restart.after = {well(restarts::kPluginAgain)};
  Step& look = steps.add(LookOnly{}, kOffered);
  look.before = {Answering{}, MarkIsOurs{}};
  look.after = {well(restarts::kPluginOffers)};
  steps.unmark({well(restarts::kPluginOffers)});
  return steps.take();
}

std::vector<Step> unmark_steps(const NodeName& node, const Means& can, Scheduler scheduler) {
  RestartSteps steps(node, can, scheduler);
  steps.unmark({});
  return steps.take();
}

}  // namespace tessera::plan
