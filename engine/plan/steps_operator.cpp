// Steps for a node that the GPU operator looks after: close and empty it, make the layout known, set the
// label, follow the MIG manager, read back what feature discovery and the kubelet say.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/operators/labels.hpp"
#include "engine/plan/observed.hpp"
#include "engine/plan/operator_goal.hpp"
#include "engine/plan/operator_words.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr Retry kBudgetRetry{20, seconds(5), seconds(30)};  // a disruption budget says no until a pod is back
constexpr Duration kManager = minutes(30);                  // a reboot may be part of it

std::string quoted(std::string_view text) { return fmt::format("'{}'", text); }

std::vector<std::string> commented(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back("# " + clean(text.substr(at, end - at), 400));
    at = end + 1;
  }
  return lines;
}

Step step_of(std::string title, Action action, std::vector<std::string> commands) {
  Step step;
  step.title = std::move(title);
  step.action = std::move(action);
  step.commands = std::move(commands);
  step.look_every = milliseconds(500);
  step.deadline = seconds(30);
  step.retry = kFewRetry;
  return step;
}

Step free_autoscaler(const NodeName& node) {
  Step step = step_of("let autoscalers have the node again", Special{std::string(verbs::kFreeAutoscaler), {}},
                      {fmt::format("kubectl annotate node {} {}- {}-", node.text, operators::kScaleDown,
                                   operators::kDisrupt)});
  step.after = {WordIs{std::string(words::kAutoscaler), "free"}};
  return step;
}

// `proof` must still hold when the node is given back.
std::vector<Step> release_by_operator(const NodeName& node, const Conditions& proof) {
  Step open = step_of(fmt::format("open {} again", node.text), OpenNode{},
                      {fmt::format("kubectl uncordon {}", node.text)});
  open.before = {Answering{}, NoForeignMark{}};
  open.before.insert(open.before.end(), proof.begin(), proof.end());
  open.after = {NotClosedByUs{}};
  open.undo = "cordon the node";
  Step unmark = step_of("take the mark off", ClearMark{},
                        {fmt::format("kubectl annotate node {} {}-", node.text, operators::kMark)});
  unmark.after = {NotMarkedByUs{}};
  Step free = free_autoscaler(node);
  free.before = unmark.before = proof;
  return {std::move(open), std::move(free), std::move(unmark)};
}

class OperatorBuilder {
 public:
  OperatorBuilder(const NodeChange& change, OperatorGoal goal)
      : change_(change),
        site_(*change.can.gpu_operator),
        goal_(std::move(goal)),
        node_(change.node.name.text),
        free_(nobody_there()) {}

  std::vector<Step> run() {
    preflight();
    mark();
    hold_autoscaler();
    close();
    evict();
    await_empty();
    write_maps();
    if (goal_.plugin && goal_.plugin->before_mig) set_plugin();
    if (goal_.mig) change_mig();
    if (goal_.plugin && !goal_.plugin->before_mig) set_plugin();
    if (goal_.vgpu) change_vgpu();
    verify();
    for (Step& step : release_by_operator(change_.node.name, proof())) steps_.push_back(std::move(step));
    number_steps(change_.node.name, steps_);
    return std::move(steps_);
  }

 private:
  Step& add(std::string title, Action action, std::vector<std::string> commands) {
    return steps_.emplace_back(step_of(std::move(title), std::move(action), std::move(commands)));
  }
  Step& special(std::string title, std::string_view what, std::map<std::string, std::string> arguments,
                std::vector<std::string> commands) {
    return add(std::move(title), Special{std::string(what), std::move(arguments)}, std::move(commands));
  }
  static Condition says(std::string_view key, std::string value) {
    return WordIs{std::string(key), std::move(value)};
  }
  static Condition must_say(std::string_view key, std::string value) {
    return WordIs{std::string(key), std::move(value), false};
  }
  // What everything on the node relies on: nobody took it from us, and it takes no new work. The operator may
  // lift a cordon.
  Conditions guarded() const { return {Answering{}, MarkIsOurs{}, NodeClosed{}}; }
  Conditions empty() const {
    Conditions conditions = guarded();
    conditions.insert(conditions.end(), free_.begin(), free_.end());
    return conditions;
  }
  // While the operator works, boards and their slices may not be told: then the pods themselves count.
  Conditions nobody_there() const {
    Conditions conditions;
    if (!change_.scope) return conditions;
    conditions.push_back(ScopeEmpty{*change_.scope});
    if (change_.scope->boards.size() >= change_.node.gpus.size())
      conditions.push_back(says(words::kGpuPods, ""));
    return conditions;
  }

  std::set<std::string> namespaces_to_evict_from() const {
    std::set<std::string> all;
    if (change_.intent.options.way == Way::wait) return all;
    for (const Disturbed& one : change_.blast_radius)
      if (std::size_t slash = one.id.text.find('/'); slash != std::string::npos)
        all.insert(one.id.text.substr(0, slash));
    return all;
  }
  void preflight() {
    std::string verbs = "patch nodes";
    for (const std::string& ns : namespaces_to_evict_from()) verbs += ", create pods/eviction in " + ns;
    if (goal_.mig) verbs += ", delete pods";
    if (writes_map()) verbs += ", create configmaps, patch configmaps";
    if (points_policy()) verbs += ", patch clusterpolicies";
    std::vector<std::string> commands;
    for (std::size_t at = 0; at < verbs.size();) {
      std::size_t end = std::min(verbs.find(", ", at), verbs.size());
      std::string verb = verbs.substr(at, end - at);
      std::size_t in = verb.find(" in ");
      std::string ns = in == std::string::npos ? site_.ns : verb.substr(in + 4);
      verb = verb.substr(0, in);
      bool cluster_wide = verb.ends_with("nodes") || verb.ends_with("policies");
      commands.push_back(
          fmt::format("kubectl auth can-i {}{}", verb, cluster_wide ? "" : " --namespace " + ns));
      at = end + 2;
    }
    Step& access = special("see what we may do", verbs::kReviewAccess,
                           {{"verbs", verbs}, {"namespace", site_.ns}}, std::move(commands));
    access.before = {Answering{}};
    access.after = {must_say(words::kAccess, "")};
    Step& look = add(
        "preflight: operator, MIG manager, driver", LookOnly{},
        {fmt::format("kubectl get pods --namespace {} --field-selector spec.nodeName={}", site_.ns, node_)});
    look.before = {Answering{}, must_say(words::kDriverUpgrade, "")};
    look.after = {Answering{}, must_say(words::kDriverUpgrade, "")};
    if (goal_.mig) look.after.push_back(says(words::kMigManager, ""));
    if (goal_.plugin) look.after.push_back(says(words::kDevicePlugin, ""));
    look.deadline = minutes(2);
  }
  void mark() {
    Step& step =
        add(fmt::format("mark {}", node_), SetMark{change_.intent.options.break_lock},
            {fmt::format("kubectl annotate node {} {}='tessera RUN WHO@HOST'", node_, operators::kMark)});
    step.before = {Answering{}};
    if (!change_.intent.options.break_lock) step.before.push_back(NoForeignMark{});
    step.after = {MarkIsOurs{}};
    step.undo = "take the mark off";
  }
  void hold_autoscaler() {
    Step& step = special("keep autoscalers from taking the node away", verbs::kHoldAutoscaler, {},
                         {fmt::format("kubectl annotate node {} {}=true {}=true", node_,
                                      operators::kScaleDown, operators::kDisrupt)});
    step.before = {Answering{}, MarkIsOurs{}};
    step.after = {says(words::kAutoscaler, "held")};
    step.undo = "take those annotations off that were not there";
  }
  void close() {
    Step& step = add(fmt::format("close {} to new work", node_),
                     CloseNode{change_.intent.words.empty() ? "GPU layout change" : change_.intent.words},
                     {fmt::format("kubectl cordon {}", node_)});
    step.before = {Answering{}, MarkIsOurs{}};
    step.after = {NodeClosed{}};
    step.undo = "uncordon the node, if the cordon is still ours";
  }
  void evict() {
    Way way = change_.intent.options.way;
    for (const Disturbed* away : sent_away(change_)) {
      const Disturbed& one = *away;
      Step& step = add(fmt::format("evict {} of {}", one.id.text, one.user.empty() ? "?" : one.user),
                       Evict{one.id, way}, eviction(one.id.text));
      step.before = guarded();
      step.after = {WorkloadAway{one.id}};
      step.deadline = minutes(10);
      step.look_every = seconds(2);
      step.retry = kBudgetRetry;
      step.disturbs = true;
      if (one.restartable != false) step.undo = "its controller starts it again where there is room";
    }
  }
  static std::vector<std::string> eviction(const std::string& id) {
    auto slash = std::min(id.find('/'), id.size());
    std::string ns = id.substr(0, slash), pod = id.substr(std::min(slash + 1, id.size()));
    std::string body = fmt::format(
        R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"{}","namespace":"{}"}}}})", pod,
        ns);
    return {fmt::format("echo {} | kubectl create --raw /api/v1/namespaces/{}/pods/{}/eviction -f -",
                        quoted(body), ns, pod)};
  }
  void await_empty() {
    const Options& options = change_.intent.options;
    std::size_t known = change_.blast_radius.size();
    Step& step =
        add(known != 0      ? fmt::format("wait until {} pod{} left", known, known == 1 ? " has" : "s have")
            : change_.scope ? "see that no pod holds a GPU there"
                            : "wait for the time",
            LookOnly{}, {});
    step.before = guarded();
    step.after = free_;
    step.deadline = options.wait.value_or(Duration{0});
    step.look_every = seconds(5);
    step.not_before = options.at;
    step.retry = {};
  }

  bool writes_map() const {
    return (goal_.mig && goal_.mig->entry) || (goal_.plugin && !goal_.plugin->text.empty());
  }
  bool points_policy() const {
    return (goal_.mig && !goal_.mig->text.empty()) || (goal_.plugin && !goal_.plugin->base.empty());
  }

  void write_maps() {
    if (goal_.mig && goal_.mig->entry) write_mig_map(*goal_.mig);
    if (goal_.plugin && !goal_.plugin->text.empty()) write_plugin_map(*goal_.plugin);
  }
  void write_mig_map(const OperatorGoal::Mig& mig) {
    bool anew = !mig.text.empty();
    std::vector<std::string> commands = commented(mig.diff);
    commands.push_back(fmt::format("kubectl {} configmap {} --namespace {}{}", anew ? "create" : "edit",
                                   mig.map, site_.ns, anew ? " --from-file=config.yaml" : ""));
    std::map<std::string, std::string> arguments{{"map", mig.map},
                                                 {"name", mig.name},
                                                 {"entry", operators::document_of({*mig.entry})},
                                                 {"diff", mig.diff}};
    if (anew) arguments["text"] = mig.text;
    Step& step = special(fmt::format("{} {} {} {}", anew ? "make" : "add", anew ? mig.map : mig.name,
                                     anew ? "with" : "to", anew ? mig.name : mig.map),
                         verbs::kWriteMigConfig, std::move(arguments), std::move(commands));
    step.before = guarded();
    step.after = {says(words::of(words::kMigEntry, mig.name), mig.map)};
    step.undo = "the entry may stay: no node uses it unless its label names it";
    if (anew) point_policy("migManager", mig.map, "", words::kMigMap);
    Step& wait = add("wait until the MIG manager has the file", LookOnly{}, {});
    wait.before = guarded();
    wait.before.push_back(says(words::of(words::kMigEntry, mig.name), mig.map));
    wait.after = {says(words::kMigFile, ""), says(words::kMigManager, "")};
    wait.deadline = minutes(10);
    wait.look_every = seconds(5);
  }
  void write_plugin_map(const OperatorGoal::Plugin& plugin) {
    bool anew = !plugin.base.empty();
    std::vector<std::string> commands = commented(plugin.text);
    commands.push_back(fmt::format("kubectl {} configmap {} --namespace {}{}", anew ? "create" : "edit",
                                   plugin.map, site_.ns, anew ? " --from-file=" + plugin.name : ""));
    std::map<std::string, std::string> arguments{
        {"map", plugin.map}, {"name", plugin.name}, {"text", plugin.text}};
    if (anew) arguments["base"] = plugin.base;
    Step& step = special(fmt::format("add {} to {}", plugin.name, plugin.map), verbs::kWritePluginConfig,
                         std::move(arguments), std::move(commands));
    step.before = guarded();
    step.after = {says(words::of(words::kPluginEntry, plugin.name), plugin.map)};
    step.undo = "the configuration may stay: no node uses it unless its label names it";
    if (anew) point_policy("devicePlugin", plugin.map, "default", words::kPluginMap);
    Step& wait = add("wait until the device plugin has the file", LookOnly{}, {});
    wait.before = guarded();
    wait.before.push_back(says(words::of(words::kPluginEntry, plugin.name), plugin.map));
    wait.after = {says(words::kPluginFile, "")};
    wait.deadline = minutes(10);
    wait.look_every = seconds(5);
  }
  void point_policy(const std::string& part, const std::string& map, const std::string& fallback,
                    std::string_view key) {
    std::string config = fmt::format(R"("name":"{}")", map);
    if (!fallback.empty()) config += fmt::format(R"(,"default":"{}")", fallback);
    std::string patch = fmt::format(R"({{"spec":{{"{}":{{"config":{{{}}}}}}}}})", part, config);
    Step& step = special(
        fmt::format("let the operator read {}", map), verbs::kPatchPolicy,
        {{"policy", site_.policy}, {"patch", patch}},
        {fmt::format("kubectl patch clusterpolicy {} --type=merge -p {}", site_.policy, quoted(patch))});
    step.before = guarded();
    step.after = {says(key, map)};
    step.deadline = minutes(2);
    step.undo = "point the ClusterPolicy at what it named before";
  }

  // Labels: a key without a value is taken off.
  Step& label(std::string title, const std::map<std::string, std::string>& labels) {
    std::string command = fmt::format("kubectl label node {} --overwrite", node_);
    for (const auto& [key, value] : labels)
      command += value.empty() ? " " + key + "-" : fmt::format(" {}={}", key, value);
    Step& step = special(std::move(title), verbs::kLabelNode, labels, {std::move(command)});
    step.before = empty();
    for (const auto& [key, value] : labels) step.after.push_back(says(key, value));
    return step;
  }

  void change_mig() {
    const OperatorGoal::Mig& mig = *goal_.mig;
    Step& set = special(fmt::format("ask the MIG manager for {}", mig.name), verbs::kOrderMig,
                        {{"config", mig.name}, {"found", mig.found}},
                        {fmt::format("kubectl label node {} --overwrite {}={} {}-", node_,
                                     operators::kMigConfig, mig.name, operators::kMigState)});
    set.before = empty();
    set.after = {says(words::kMigOrder, mig.name)};
    set.undo = earlier_label(operators::kMigConfig);
    Step& recover = special("only if the MIG manager hangs: undo its pauses, start its pod anew",
                            verbs::kRecoverMig, {{"config", mig.name}, {"namespace", site_.ns}}, recovery());
    recover.before = empty();
    recover.after = {says(words::kMigStuck, "")};
    recover.deadline = minutes(3);
    recover.look_every = seconds(2);
    Step& follow = add("follow the MIG manager", LookOnly{},
                       {fmt::format("kubectl get node {} --watch --label-columns {},{}", node_,
                                    operators::kMigConfig, operators::kMigState)});
    follow.before = {MarkIsOurs{}, NodeClosed{}, must_say(words::kMigFailure, ""),
                     says(words::kMigOrder, mig.name), says(words::kMigStuck, "")};
    follow.after = {Answering{}, says(operators::kMigConfig, mig.name),
                    says(operators::kMigState, "success")};
    follow.deadline = kManager;
    follow.look_every = seconds(2);
    follow.retry = {};
  }
  std::vector<std::string> recovery() const {
    std::string unpause = fmt::format("kubectl label node {} --overwrite", node_);
    for (std::string_view part : operators::kPausedParts)
      unpause += fmt::format(" {}{}=true", operators::kDeployPrefix, part);
    return {
        unpause + "  # those that say paused-for-mig-change",
        fmt::format("kubectl delete pod --namespace {} --selector app=nvidia-mig-manager --field-selector "
                    "spec.nodeName={}",
                    site_.ns, node_)};
  }
  std::string earlier_label(std::string_view key) const {
    auto labels = site_.labels.find(node_);
    if (labels == site_.labels.end()) return "";
    auto value = labels->second.find(std::string(key));
    return value == labels->second.end() ? fmt::format("take the label {} off", key)
                                         : fmt::format("set {}={}", key, value->second);
  }

  void set_plugin() {
    const OperatorGoal::Plugin& plugin = *goal_.plugin;
    Step& step = label(plugin.name.empty() ? "back to the device plugin's default configuration"
                                           : fmt::format("share by {}", plugin.name),
                       {{std::string(operators::kPluginConfig), plugin.name}});
    step.undo = earlier_label(operators::kPluginConfig);
  }
  void change_vgpu() {
    const OperatorGoal::Vgpu& vgpu = *goal_.vgpu;
    if (vgpu.config.empty()) {
      Step& back = label("back to containers", {{std::string(operators::kVgpuConfig), ""},
                                                {std::string(operators::kVgpuState), ""},
                                                {std::string(operators::kWorkload), vgpu.workload}});
      back.undo = earlier_label(operators::kVgpuConfig);
      return;
    }
    Step& set =
        special(fmt::format("ask the vGPU device manager for {}", vgpu.config), verbs::kOrderVgpu,
                {{"config", vgpu.config}, {"found", vgpu.found}, {"workload", vgpu.workload}},
                {fmt::format("kubectl label node {} --overwrite {}={} {}={} {}-", node_, operators::kWorkload,
                             vgpu.workload, operators::kVgpuConfig, vgpu.config, operators::kVgpuState)});
    set.before = empty();
    set.after = {says(words::kVgpuOrder, vgpu.config), says(operators::kWorkload, vgpu.workload)};
    set.undo = earlier_label(operators::kVgpuConfig);
    Step& follow = add("follow the vGPU device manager", LookOnly{},
                       {fmt::format("kubectl get node {} --watch --label-columns {},{}", node_,
                                    operators::kVgpuConfig, operators::kVgpuState)});
    follow.before = {MarkIsOurs{}, NodeClosed{}, must_say(words::kVgpuFailure, ""),
                     says(words::kVgpuOrder, vgpu.config)};
    follow.after = {Answering{}, says(operators::kVgpuConfig, vgpu.config),
                    says(operators::kVgpuState, "success")};
    follow.deadline = kManager;
    follow.look_every = seconds(2);
    follow.retry = {};
  }

  // Labels say what was asked for; what stands is what the kubelet offers and feature discovery has seen.
  Conditions proof() const {
    Conditions proof;
    if (goal_.mig) {
      proof.push_back(says(operators::kMigConfig, goal_.mig->name));
      proof.push_back(says(operators::kMigState, "success"));
    }
    if (goal_.plugin) proof.push_back(says(operators::kPluginConfig, goal_.plugin->name));
    if (goal_.vgpu && !goal_.vgpu->config.empty()) proof.push_back(says(operators::kVgpuState, "success"));
    return proof;
  }
  void verify() {
    Step& step = add("read back: what is advertised, and what feature discovery sees", LookOnly{},
                     {fmt::format("kubectl get node {} --output jsonpath='{{.status.allocatable}}'", node_)});
    step.before = guarded();
    Conditions stands = proof();
    step.before.insert(step.before.end(), stands.begin(), stands.end());
    step.after = stands;
    bool machines = goal_.vgpu && !goal_.vgpu->config.empty();
    if (!machines) step.after.push_back(Advertises{change_.after.kubernetes});
    if (machines && goal_.vgpu->count > 0)
      step.after.push_back(
          says(words::of(words::kVgpuOffer, goal_.vgpu->config), std::to_string(goal_.vgpu->count)));
    for (const auto& [key, value] : goal_.labels) step.after.push_back(says(key, value));
    step.deadline = minutes(5);
    step.look_every = seconds(2);
  }

  const NodeChange& change_;
  const operators::Site& site_;
  OperatorGoal goal_;
  std::string node_;
  Conditions free_;
  std::vector<Step> steps_;
};

}  // namespace

std::string OperatorSteps::missing(const NodeChange& change) const {
  if (auto why = fixed_at_creation(change.node, change.boards)) return *why;
  const auto& site = change.can.gpu_operator;
  if (!site)
    return "how the GPU operator is set up there has not been read: wait until the cluster has answered";
  if (site->policy.empty())
    return "there is no ClusterPolicy in this cluster: no GPU operator looks after its nodes";
  if (site->ns.empty()) return "the GPU operator's namespace is not known: its pods cannot be seen";
  return "";
}

namespace {

// An eviction that a budget refuses is tried again for a while: who arms the run should know beforehand.
void tell_kept_back(const NodeChange& change, std::vector<Notice>& notices) {
  const auto& kept = change.can.gpu_operator->kept_back;
  for (const Disturbed* one : sent_away(change))
    if (auto found = kept.find(one->id.text); found != kept.end())
      notices.push_back({Severity::warning, "disruption-budget", change.node.name,
                         fmt::format("{} cannot be evicted at once: {}", one->id.text, found->second)});
}

}  // namespace

Result<std::vector<Notice>> OperatorSteps::judge(const NodeChange& change) const {
  if (!missing(change).empty()) return std::vector<Notice>{};
  Result<OperatorGoal> goal = operator_goal(change);
  if (!goal) return goal.error();
  std::vector<Notice> notices = std::move(goal->notices);
  tell_kept_back(change, notices);
  return notices;
}

std::vector<Step> OperatorSteps::steps(const NodeChange& change) const {
  Result<OperatorGoal> goal = operator_goal(change);
  if (!goal) return {};  // judge() has said why
  return OperatorBuilder(change, std::move(*goal)).run();
}

std::vector<Step> OperatorSteps::release(const NodeName& node, Scheduler /*scheduler*/) const {
  return release_by_operator(node, {});
}

std::optional<std::string> fixed_at_creation(const Node& node, const std::vector<BoardChange>& boards) {
  auto label = [&](std::string_view key) { return sharing::label(node, key); };
  std::string profile = "PROFILE";
  for (const BoardChange& board : boards)
    if (!board.after.instances.empty()) profile = board.after.instances.front().profile.text;
  if (auto pool = label("cloud.google.com/gke-nodepool"))
    return fmt::format(
        "GKE fixes how GPUs are cut and shared when it makes a node pool; {} stays as it is. Make "
        "another one: gcloud container node-pools create NAME --cluster CLUSTER --accelerator "
        "type=TYPE,count={},gpu-partition-size={}",
        clean(*pool, 64), node.gpus.size(), profile);
  if (auto pool = label("kubernetes.azure.com/agentpool")) {
    std::string width = profile.substr(0, profile.find('.'));
    return fmt::format(
        "AKS fixes the MIG profile when it makes a node pool; {} stays as it is. Make another one: "
        "az aks nodepool add --name NAME --resource-group GROUP --cluster-name CLUSTER "
        "--gpu-instance-profile MIG{}",
        clean(*pool, 64), width);
  }
  if (label("ack.node.gpu.schedule"))
    return "ACK changes a whole node pool by the label ack.node.gpu.schedule, one mode for all its nodes: "
           "kubectl label node NODE --overwrite ack.node.gpu.schedule=mps (default takes it back; taking the "
           "label off does not)";
  return std::nullopt;
}

}  // namespace tessera::plan
