#include "engine/plan/run/undo.hpp"

#include <algorithm>

#include "engine/plan/node_action.hpp"
#include "engine/plan/plan_node_action.hpp"
#include "engine/plan/run/since.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {
namespace {

Intent intent_for(const Run& run, const NodePlan& node, const ChangeOptions* options, Dialect dialect) {
  Intent intent = undo_intent(run.started.plan, node, "undo " + run.started.run);
  if (options) intent.options = *options;
  if (auto begun = run.begun.find(node.node); begun != run.begun.end())
    intent.orders.merge(builder_for(dialect).orders_back(begun->second));
  return intent;
}

// Whoever arms the undo sees what goes; that it is not the run's own work is said beside it.
void tell_of_others(Plan& plan, const Run& run) {
  for (const NodePlan& node : plan.nodes)
    for (std::string& one : done_by_others(plans_of(run, node.node), node))
      plan.notices.push_back(
          {Severity::warning, "changed-since", node.node, one + ": this undo does not lead back to that"});
}

// Of a run that closed or opened nodes: those that it touched, in one plan. One that cannot be led back,
// since another has closed it or it is gone, keeps no other from it.
Result<Plan> plan_action_undo(const Run& run, const Cluster& cluster, const Means& capabilities,
                              TimePoint now, const ChangeOptions* options) {
  const Plan& original = run.started.plan;
  if (auto nothing = why_nothing_to_undo(run)) return *nothing;
  std::vector<Intent> intents;
  std::vector<Notice> left;
  std::optional<Error> refused;
  for (const NodePlan& node : original.nodes) {
    if (node.steps.empty() || !run.begun.contains(node.node)) continue;
    Intent one = action_back(original, node, run.started.run);
    if (options) one.options = *options;
    if (Result<Plan> alone = plan_node_action(cluster, one, capabilities, now); !alone) {
      left.push_back({Severity::warning, "not-undone", node.node,
                      "the undo leaves it as it is: " + to_line(alone.error())});
      if (!refused) refused = alone.error();
      continue;
    }
    intents.push_back(std::move(one));
  }
  if (intents.empty() && refused) return *refused;
  if (intents.empty())
    return Error{"cannot plan the way back", "run " + run.started.run + " has changed no node", ""};
  Result<Plan> plan = plan_node_action(cluster, joined(intents), capabilities, now);
  if (!plan) return plan;
  plan->undoes = run.started.run;
  tell_of_others(*plan, run);
  plan->notices.insert(plan->notices.end(), left.begin(), left.end());
  return plan;
}

}  // namespace

std::optional<Error> why_nothing_to_undo(const Run& run) {
  const std::optional<NodeVerb> verb = verb_of(run.started.plan.intent);
  if (!verb || has_way_back(*verb)) return std::nullopt;
  const std::string what = "cannot undo run " + run.started.run;
  if (*verb == NodeVerb::restart_plugin)
    return Error{what, "it restarted the pod of a device plugin, which leaves nothing to undo", ""};
  if (*verb == NodeVerb::reset_gpu)
    return Error{
        what, "a GPU that was reset leaves nothing to undo",
        run.finished ? "" : "the node is opened again by: tessera resume " + run.started.run + " --back"};
  return Error{
      what, "a boot, or a reboot that was cancelled, leaves nothing to undo",
      run.finished ? "" : "while it waits, it goes back by: tessera resume " + run.started.run + " --back"};
}

Result<Plan> plan_undo(const Run& run, const Cluster& cluster, const mig::Catalogue& catalogue,
                       const Means& capabilities, const SiteRules& rules, TimePoint now,
                       const ChangeOptions* options) {
  if (is_node_action(run.started.plan.intent))
    return plan_action_undo(run, cluster, capabilities, now, options);
  // Nodes that were found alike, which is nearly always all of them, share one wish.
  std::vector<Intent> intents;
  for (const NodePlan& node : run.started.plan.nodes) {
    if (node.before.empty() && !node.steps.empty())
      return Error{"cannot plan the way back", "the earlier layout of " + node.node.text + " is not known",
                   "plan the layout that it is to have: tessera plan --node " + node.node.text};
    if (node.before.empty()) continue;  // nothing of it was to change
    Intent one = intent_for(run, node, options, capabilities.dialect);
    auto alike = std::find_if(intents.begin(), intents.end(), [&](const Intent& other) {
      return other.boards == one.boards && other.orders == one.orders && other.switches == one.switches;
    });
    if (alike == intents.end())
      intents.push_back(std::move(one));
    else
      alike->nodes.push_back(node.node);
  }
  if (intents.empty())
    return Error{"cannot plan the way back", "run " + run.started.run + " was to change nothing", ""};
  Result<Plan> all = make_plan(cluster, catalogue, joined(intents), capabilities, rules, now);
  if (!all) return all;
  all->undoes = run.started.run;
  tell_of_others(*all, run);
  return all;
}

}  // namespace tessera::plan
