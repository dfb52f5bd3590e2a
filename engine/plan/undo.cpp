#include "engine/plan/undo.hpp"

#include <algorithm>

#include "engine/plan/moved.hpp"
#include "engine/plan/resources.hpp"
#include "engine/plan/since.hpp"
#include "engine/plan/steps.hpp"

namespace tessera::plan {
namespace {

Intent intent_for(const Run& run, const NodePlan& node, const Options* options) {
  Intent intent = undo_intent(run.started.plan, node, "undo " + run.started.run);
  if (options) intent.options = *options;
  return intent;
}

template <class T>
void append(std::vector<T>& to, std::vector<T> from) {
  for (T& one : from)
    if (std::find(to.begin(), to.end(), one) == to.end()) to.push_back(std::move(one));
}

// Plans of other nodes of the same cluster, made at the same time, become one.
void join(Plan& plan, Plan more) {
  append(plan.nodes, std::move(more.nodes));
  append(plan.violations, std::move(more.violations));
  append(plan.notices, std::move(more.notices));
  append(plan.never_again, std::move(more.never_again));
  append(plan.will_run, std::move(more.will_run));
  plan.never_again_count = static_cast<int>(plan.never_again.size());
  plan.will_run_count = static_cast<int>(plan.will_run.size());
  add(plan.offered_before, more.offered_before);
  add(plan.offered_after, more.offered_after);
  settle(plan.offered_before, plan.offered_after);
  append(plan.intent.nodes, std::move(more.intent.nodes));
  if (plan.intent.orders != more.intent.orders) plan.intent.orders.clear();  // each node's plan has its own
  plan.fingerprint = fingerprint_of(plan.nodes);
}

void take_back(Plan& plan, const Run& run, const Cluster& cluster, const mig::Catalogue& catalogue,
               const Capabilities& can) {
  const StepBuilder& builder = builder_for(can.dialect);
  for (NodePlan& node : plan.nodes) {
    const Node* known = cluster.nodes.find(node.node);
    auto begun = run.begun.find(node.node);
    if (!known || begun == run.begun.end() || node.steps.empty()) continue;
    const NodeChange nothing{
        *known, run.started.plan.scheduler, plan.intent,        can,       {}, Scope{}, {},
        {},     node.offered_before,        node.offered_after, &catalogue};
    builder.take_back(node.steps, nothing, begun->second);
    number_steps(node.node, node.steps);
  }
}

// Whoever arms the undo sees what goes; that it is not the run's own work is said beside it.
void tell_of_others(Plan& plan, const Run& run) {
  for (const NodePlan& node : plan.nodes)
    for (std::string& one : done_by_others(plans_of(run, node.node), node))
      plan.notices.push_back(
          {Severity::warning, "changed-since", node.node, one + ": this undo does not lead back to that"});
}

}  // namespace

Result<Plan> plan_undo(const Run& run, const Cluster& cluster, const mig::Catalogue& catalogue,
                       const Capabilities& capabilities, const SiteRules& rules, TimePoint now,
                       const Options* options) {
  // Nodes that were found alike are planned together; that is nearly always all of them.
  std::vector<Intent> intents;
  for (const NodePlan& node : run.started.plan.nodes) {
    if (node.before.empty() && !node.steps.empty())
      return Error{"cannot plan the way back", "what " + node.node.text + " was found with was not told",
                   "plan the layout that it is to have: tessera plan --node " + node.node.text};
    if (node.before.empty()) continue;  // nothing of it was to change
    Intent one = intent_for(run, node, options);
    auto alike = std::find_if(intents.begin(), intents.end(), [&](const Intent& other) {
      return other.boards == one.boards && other.orders == one.orders;
    });
    if (alike == intents.end())
      intents.push_back(std::move(one));
    else
      alike->nodes.push_back(node.node);
  }
  if (intents.empty())
    return Error{"cannot plan the way back", "run " + run.started.run + " was to change nothing", ""};
  const Outlook outlook = look_out(cluster, catalogue, rules);
  std::optional<Plan> all;
  for (const Intent& intent : intents) {
    Result<Plan> part = make_plan(cluster, catalogue, intent, capabilities, rules, now, &outlook);
    if (!part) return part;
    if (all)
      join(*all, std::move(*part));
    else
      all = std::move(*part);
  }
  take_back(*all, run, cluster, catalogue, capabilities);
  tell_of_others(*all, run);
  return std::move(*all);
}

}  // namespace tessera::plan
