// Steps for a node that the GPU operator looks after: close and empty it, change it (operator_change.cpp),
// read back what feature discovery and the kubelet say, give it back.
#include <fmt/format.h>

#include <algorithm>

#include "engine/plan/steps/operator_builder.hpp"
#include "engine/plan/steps/operator_orders.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/shape.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Retry kBudgetRetry{20, seconds(5), seconds(30)};  // a disruption budget says no until a pod is back

// With the commands that follow from the action alone.
Step by_its_action(const NodeName& node, const Action& action) {
  return operator_step(action,
                       commands_for(action, node, Dialect::gpu_operator, Scheduler::kubernetes, nullptr));
}

Step free_autoscaler(const NodeName& node) {
  Step step = by_its_action(node, Special{std::string(verbs::kFreeAutoscaler), {}});
  step.after = {WordIs{std::string(words::kAutoscaler), "free"}};
  return step;
}

}  // namespace

Step operator_step(Action action, std::vector<std::string> commands) {
  Step step;
  step.action = std::move(action);
  step.commands = std::move(commands);
  step.look_every = milliseconds(500);
  step.deadline = seconds(30);
  step.retry = kFewRetry;
  return step;
}

std::vector<Step> operator_release(const NodeName& node, const Conditions& proof) {
  Step open = by_its_action(node, OpenNode{});
  open.before = {Answering{}, NoForeignMark{}};
  open.before.insert(open.before.end(), proof.begin(), proof.end());
  open.after = {NotClosedByUs{}};
  open.undo = "cordon the node";
  Step unmark = by_its_action(node, ClearMark{});
  unmark.after = {NotMarkedByUs{}};
  Step free = free_autoscaler(node);
  free.before = unmark.before = proof;
  std::vector<Step> steps{std::move(open), std::move(free), std::move(unmark)};
  name_steps(node, Dialect::gpu_operator, steps, 0);
  return steps;
}

std::vector<Step> OperatorBuilder::run() {
  preflight();
  mark();
  hold_autoscaler();
  tell_slurm();
  close();
  await_slurm();
  stop_slurmd();
  const bool rules = !goal_.devices.empty() && !site_.rules_api.empty();
  if (rules) close_devices();
  evict();
  await_empty();
  write_maps();
  if (goal_.plugin && goal_.plugin->before_mig) set_plugin();
  if (goal_.mig) change_mig();
  if (goal_.plugin && !goal_.plugin->before_mig) set_plugin();
  if (goal_.vgpu) change_vgpu();
  if (goal_.deploys) deploy_plugin();
  if (goal_.ack) change_ack();
  if (!goal_.devices.empty()) restart_dra();
  verify();
  if (rules) steps_.push_back(open_devices(change_.node.name, proof()));
  for (Step& step : release()) steps_.push_back(std::move(step));
  name_steps(change_.node.name, Dialect::gpu_operator, steps_, change_.blast_radius.size());
  return std::move(steps_);
}

std::set<std::string> OperatorBuilder::namespaces_to_evict_from() const {
  std::set<std::string> all;
  for (const Disturbed* one : sent_away(change_))
    if (std::size_t slash = one->id.text.find('/'); slash != std::string::npos)
      all.insert(one->id.text.substr(0, slash));
  for (const auto& [pod, one] : slurmd_) all.insert(pod.substr(0, pod.find('/')));
  return all;
}

void OperatorBuilder::preflight() {
  std::string verbs = "patch nodes";
  for (const std::string& ns : namespaces_to_evict_from()) verbs += ", create pods/eviction in " + ns;
  if (goal_.mig) verbs += ", delete pods";
  if (!goal_.devices.empty()) verbs += ", delete pods in " + site_.dra_ns;
  if (!goal_.devices.empty() && !site_.rules_api.empty())
    verbs += ", create devicetaintrules, get devicetaintrules, delete devicetaintrules";
  if (writes_map()) verbs += ", create configmaps, patch configmaps";
  if (points_policy()) verbs += ", patch clusterpolicies";
  Step& access = add(special(verbs::kReviewAccess, {{"verbs", verbs}, {"namespace", site_.ns}}));
  access.before = {Answering{}};
  access.after = {must_say(words::kAccess, "")};
  if (goal_.ack) return;
  Step& look = add(
      LookOnly{},
      {fmt::format("kubectl get pods --namespace {} --field-selector spec.nodeName={}", site_.ns, node_)});
  look.before = {Answering{}, must_say(words::kDriverUpgrade, "")};
  look.after = {Answering{}, must_say(words::kDriverUpgrade, "")};
  if (goal_.mig) look.after.push_back(says(words::kMigManager, ""));
  if (!goal_.devices.empty()) look.after.push_back(says(words::kDraDriver, ""));
  const bool plugin_runs = goal_.deploys ? !*goal_.deploys : !goal_.offers_nothing;
  if (goal_.plugin && plugin_runs) look.after.push_back(says(words::kDevicePlugin, ""));
  look.deadline = minutes(2);
}

void OperatorBuilder::mark() {
  Step& step = add(SetMark{change_.intent.options.break_lock});
  step.before = {Answering{}};
  if (!change_.intent.options.break_lock) step.before.push_back(NoForeignMark{});
  step.after = {MarkIsOurs{}};
  step.undo = "remove tessera's mark";
}

void OperatorBuilder::hold_autoscaler() {
  Step& step = add(special(verbs::kHoldAutoscaler));
  step.before = {Answering{}, MarkIsOurs{}};
  step.after = {says(words::kAutoscaler, "held")};
  step.undo = "take those annotations off that were not there";  // as plan files of earlier versions have it
}

void OperatorBuilder::close() {
  Step& step = add(CloseNode{change_.intent.words.empty() ? "GPU layout change" : change_.intent.words});
  step.before = {Answering{}, MarkIsOurs{}};
  step.after = {NodeClosed{}};
  step.undo = "uncordon the node, if the cordon is still ours";
}

void OperatorBuilder::evict() {
  Way way = change_.intent.options.way;
  for (const Disturbed* away : sent_away(change_)) {
    const Disturbed& one = *away;
    if (slurmd_.contains(one.id.text)) continue;
    Step& step = add(Evict{one.id, way});
    step.before = guarded();
    step.before.push_back(must_say(words::of(words::kEviction, one.id.text), ""));
    step.after = {WorkloadAway{one.id}};
    step.deadline = minutes(10);
    step.look_every = seconds(2);
    step.retry = kBudgetRetry;
    step.disturbs = true;
    if (one.restartable != false) step.undo = "its controller starts it again where there is room";
  }
}

void OperatorBuilder::await_empty() {
  const ChangeOptions& options = change_.intent.options;
  Step& step = add(LookOnly{});
  step.before = guarded();
  step.after = free_;
  step.deadline = options.wait.value_or(Duration{0});
  step.look_every = seconds(5);
  step.not_before = options.at;
  step.retry = {};
}

void OperatorBuilder::verify() {
  const bool claimed = !goal_.devices.empty();
  Step& step = add(
      LookOnly{},
      {claimed
           ? fmt::format("kubectl get resourceslices --field-selector spec.nodeName={} --output yaml", node_)
           : fmt::format("kubectl get node {} --output jsonpath='{{.status.allocatable}}'", node_)});
  step.before = guarded();
  Conditions stands = proof();
  step.before.insert(step.before.end(), stands.begin(), stands.end());
  if (goal_.mig) {  // an order that made nothing is given again by whoever takes the run up
    step.before.push_back(must_say(words::kMigHollow, ""));
    step.before.push_back(says(words::kMigOrder, goal_.mig->name));
  }
  step.after = stands;
  bool machines = goal_.vgpu && !goal_.vgpu->config.empty();
  if (goal_.untold && goal_.mig)
    step.after.push_back(says(words::kMigMade, goal_.mig->name));
  else if (!machines && !goal_.ack && !claimed)
    step.after.push_back(Advertises{change_.after.kubernetes});
  if (machines && goal_.vgpu->count > 0)
    step.after.push_back(
        says(words::of(words::kVgpuOffer, goal_.vgpu->config), std::to_string(goal_.vgpu->count)));
  if (goal_.plugin && !goal_.offers_nothing) step.after.push_back(says(words::kPluginSettled, ""));
  for (const auto& [key, value] : goal_.labels) step.after.push_back(says(key, value));
  step.deadline = minutes(5);
  step.look_every = seconds(2);
}

// Its own cordon, drain and reload of the driver would cross ours.
namespace {

std::string what_is_missing(const NodeChange& change) {
  std::string_view upgrade = sharing::label(change.node, operators::kDriverUpgrade).value_or("");
  if (upgrade == "upgrade-failed")
    return fmt::format(
        "the driver upgrade of {} has failed, and the node is as it left it: fix that first (kubectl get "
        "pods --all-namespaces --selector app=nvidia-driver-daemonset --field-selector spec.nodeName={})",
        change.node.name.text, change.node.name.text);
  if (!upgrade.empty() && upgrade != "upgrade-done")
    return fmt::format("a driver upgrade is under way on {} ({}): wait until it says upgrade-done",
                       change.node.name.text, clean(upgrade, 64));
  if (auto why = handed_out_by_claims(change)) return *why;
  if (auto why = fixed_at_creation(change.node, change.boards)) return *why;
  const bool by_ack = sharing::ack::decides(change.node);
  if (by_ack)
    if (auto why = kept_by_ack(change.node)) return *why;
  if (auto why = split_by_others(change.node)) return *why;
  const auto& site = change.can.gpu_operator;
  if (!site)
    return "how the GPU operator is set up there has not been read: wait until the cluster has answered";
  if (by_ack) return "";
  using operators::SitePart;
  if (auto why = site->readings.why_unknown({SitePart::gpu_cluster, SitePart::policy, SitePart::devices}))
    return *why;
  if (!site->gpu_cluster.empty())
    return fmt::format(
        "the GPUCluster {} has its GPUs handed out by the DRA driver: there is neither a MIG manager nor a "
        "device plugin that would follow a label{}",
        site->gpu_cluster, sharing::by_claims(change.node) ? ". By hand: " + claims_by_hand(change) : "");
  if (site->policy.empty())
    return "there is no ClusterPolicy in this cluster: no GPU operator manages its nodes";
  if (auto why = site->readings.why_unknown(
          {SitePart::name_space, SitePart::mig_config, SitePart::generated, SitePart::plugin_config}))
    return *why;
  if (site->ns.empty()) return "the GPU operator's namespace is not known: its pods cannot be seen";
  if (sharing::by_claims(change.node) && site->dra_ns.empty())
    return "the DRA driver's namespace is not known: its pods cannot be seen";
  return "";
}

// An eviction that a budget refuses is tried again for a while: who arms the run should know beforehand.
void tell_kept_back(const NodeChange& change, std::vector<Notice>& notices) {
  const auto& kept = change.can.gpu_operator->kept_back;
  for (const Disturbed* one : sent_away(change))
    if (auto found = kept.find(one->id.text); found != kept.end())
      notices.push_back({Severity::warning, "disruption-budget", change.node.name,
                         fmt::format("{} cannot be evicted at once: {}", one->id.text, found->second)});
}

// What the plan is written from may have changed since.
void tell_old_readings(const NodeChange& change, std::vector<Notice>& notices) {
  for (const auto& [part, reading] : change.can.gpu_operator->readings.all())
    if (reading.failure && (part != operators::SitePart::budgets || !sent_away(change).empty()))
      notices.push_back(
          {Severity::warning, "old-reading", change.node.name, operators::why_untold(part, reading)});
}

// What is ordered of the node once that is so.
Orders ordered_by(const OperatorGoal& goal, Orders orders) {
  if (goal.mig) orders[std::string(operators::kMigConfig)] = goal.mig->name;
  if (goal.plugin) orders[std::string(operators::kPluginConfig)] = goal.plugin->name;
  if (goal.vgpu) {
    orders[std::string(operators::kVgpuConfig)] = goal.vgpu->config;
    orders[std::string(operators::kWorkload)] = goal.vgpu->workload;
  }
  if (goal.offers_nothing)
    orders[std::string(operators::kPluginDeploy)] = "false";
  else
    orders.erase(std::string(operators::kPluginDeploy));
  if (goal.ack) orders[std::string(sharing::ack::kSchedule)] = goal.ack->schedule;
  return orders;
}

// A node whose orders may be other than its GPUs, so that nothing to do is not so.
bool may_be_ordered_otherwise(const NodeChange& change) {
  const operators::OperatorSetup* site = change.can.gpu_operator.get();
  return boards_untold(change.node) || at_work({order_label(change.node, site, operators::kMigConfig),
                                                order_label(change.node, site, operators::kMigState), ""});
}

}  // namespace

// An order that says something else than the GPUs is carried out sooner or later: then "already in that
// state" is not so.
Result<Work> OperatorSteps::work(const NodeChange& change) const {
  const bool only_orders = change.boards.empty();
  Work work;
  work.ordered = orders(change.node, change.can);
  std::string missing = what_is_missing(change);
  if (!missing.empty()) {
    if (!only_orders) work.missing = std::move(missing);
    return work;
  }
  Result<OperatorGoal> goal = operator_goal(change);
  if (!goal && only_orders && !may_be_ordered_otherwise(change)) return work;
  if (!goal) return goal.error();
  work.ordered = ordered_by(*goal, std::move(work.ordered));
  if (only_orders && !goal->changes()) return work;
  work.notices = std::move(goal->notices);
  tell_kept_back(change, work.notices);
  for (Notice& one : slurmd_notices(change)) work.notices.push_back(std::move(one));
  if (!sharing::ack::decides(change.node)) tell_old_readings(change, work.notices);
  work.steps = OperatorBuilder(change, std::move(*goal)).run();
  return work;
}

Result<std::string> OperatorSteps::missing(const NodeChange& change) const {
  if (std::string why = what_is_missing(change); !why.empty()) return why;
  const Result<OperatorGoal> goal = operator_goal(change);
  if (!goal) return goal.error();
  return std::string();
}

bool OperatorSteps::takes_untold(const Node& node, const Intent& intent) const {
  const bool has_gpus = sharing::label(node, "nvidia.com/gpu.product") ||
                        sharing::label(node, operators::kMigConfig) || !node.pool.empty();
  return has_gpus && !sharing::ack::decides(node) && untold_boards(node, intent).ok();
}

Orders OperatorSteps::orders(const Node& node, const Means& can) const {
  return standing_orders(node, can.gpu_operator.get());
}

namespace {

bool only_gives_back(const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    const auto* special = std::get_if<Special>(&step.action);
    return std::holds_alternative<OpenNode>(step.action) || std::holds_alternative<ClearMark>(step.action) ||
           (special && special->verb == verbs::kFreeAutoscaler);
  });
}

// The run has given an order, or was about to.
bool has_ordered(const std::set<std::string>& begun) {
  for (std::string_view verb : {verbs::kOrderMig, verbs::kOrderVgpu, verbs::kLabelNode})
    if (begun.contains(std::string(verb))) return true;
  return false;
}

// The run has closed the node's devices, or was about to.
void take_rule_away(std::vector<Step>& steps, const NodeChange& change, const Unfinished& left) {
  if (!left.begun.contains(std::string(verbs::kCloseDevices))) return;
  std::vector<Step> open{open_devices(change.node.name, {})};
  name_steps(change.node.name, Dialect::gpu_operator, open, 0);
  steps.insert(steps.begin(), std::move(open.front()));
}

// As they stand, and carried out.
Conditions orders_stand(const NodeChange& change) {
  Conditions stand;
  const operators::OperatorSetup* site = change.can.gpu_operator.get();
  for (const auto& [key, value] : standing_orders(change.node, site)) stand.push_back(WordIs{key, value});
  if (!order_label(change.node, site, operators::kMigConfig).empty())
    stand.push_back(
        WordIs{std::string(operators::kMigState), order_label(change.node, site, operators::kMigState)});
  return stand;
}

}  // namespace

// What the run has ordered and what stands there are two things: the node is given back when its layout is
// what is ordered as well as what is offered.
Status OperatorSteps::tidy_up(std::vector<Step>& steps, const NodeChange& change,
                              const Unfinished& left) const {
  if (!only_gives_back(steps)) return Done{};
  if (!has_ordered(left.begun)) {
    take_rule_away(steps, change, left);
    return Done{};
  }
  const std::string what = "cannot plan " + change.node.name.text;
  if (std::string why = what_is_missing(change); !why.empty()) return Error{what, why, "then resume the run"};
  Result<OperatorGoal> goal = operator_goal(change);
  if (!goal) return goal.error();
  if (goal->changes()) {
    steps = OperatorBuilder(change, std::move(*goal)).run();
    return Done{};
  }
  take_rule_away(steps, change, left);
  for (const Condition& one : orders_stand(change))
    for (Step& step : steps) step.before.push_back(one);
  return Done{};
}

bool OperatorSteps::changes_layout(std::string_view begun) const { return has_ordered({std::string(begun)}); }

std::vector<Step> OperatorSteps::release(const NodeName& node, Scheduler /*scheduler*/) const {
  return operator_release(node, {});
}

}  // namespace tessera::plan
