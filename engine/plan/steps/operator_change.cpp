// The change itself: make the layout known, set the label, follow the manager that acts on it.
#include "engine/plan/steps/operator_builder.hpp"
#include "engine/plan/steps/operator_orders.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr Duration kManager = minutes(30);  // a reboot may be part of it

std::vector<std::string> commented(const std::string& text) {
  std::vector<std::string> lines;
  for (std::string_view line : lines_in(text)) lines.push_back("# " + clean(line, 400));
  return lines;
}

}  // namespace

void OperatorBuilder::write_maps() {
  if (goal_.mig && goal_.mig->entry) write_mig_map(*goal_.mig);
  if (goal_.plugin && !goal_.plugin->text.empty()) write_plugin_map(*goal_.plugin);
}

void OperatorBuilder::write_mig_map(const OperatorGoal::Mig& mig) {
  bool created = !mig.text.empty();
  std::vector<std::string> commands = commented(mig.diff);
  commands.push_back(fmt::format("kubectl {} configmap {} --namespace {}{}", created ? "create" : "edit",
                                 mig.map, site_.ns, created ? " --from-file=config.yaml" : ""));
  std::map<std::string, std::string> arguments{{"map", mig.map},
                                               {"found", mig.map_found},
                                               {"name", mig.name},
                                               {"entry", operators::document_of({*mig.entry})},
                                               {"diff", mig.diff}};
  if (created) arguments["text"] = mig.text;
  Step& step = add(special(verbs::kWriteMigConfig, std::move(arguments)), std::move(commands));
  step.before = guarded();
  step.after = {says(words::of(words::kMigEntry, mig.name), mig.map)};
  step.undo = "the entry may stay: no node uses it unless its label names it";
  if (created) point_policy("migManager", mig.map, "", mig.map_found, words::kMigMap);
  Step& wait = add(LookOnly{});
  wait.before = guarded();
  wait.before.push_back(says(words::of(words::kMigEntry, mig.name), mig.map));
  wait.after = {says(words::kMigFile, ""), says(words::kMigManager, "")};
  wait.deadline = minutes(10);
  wait.look_every = seconds(5);
}

void OperatorBuilder::write_plugin_map(const OperatorGoal::Plugin& plugin) {
  bool created = !plugin.base.empty();
  std::vector<std::string> commands = commented(plugin.text);
  commands.push_back(fmt::format("kubectl {} configmap {} --namespace {}{}", created ? "create" : "edit",
                                 plugin.map, site_.ns, created ? " --from-file=" + plugin.name : ""));
  std::map<std::string, std::string> arguments{
      {"map", plugin.map}, {"found", plugin.map_found}, {"name", plugin.name}, {"text", plugin.text}};
  if (created) arguments["base"] = plugin.base;
  Step& step = add(special(verbs::kWritePluginConfig, std::move(arguments)), std::move(commands));
  step.before = guarded();
  step.after = {says(words::of(words::kPluginEntry, plugin.name), plugin.map)};
  step.undo = "the configuration may stay: no node uses it unless its label names it";
  if (created) point_policy("devicePlugin", plugin.map, "default", plugin.map_found, words::kPluginMap);
  Step& wait = add(LookOnly{});
  wait.before = guarded();
  wait.before.push_back(says(words::of(words::kPluginEntry, plugin.name), plugin.map));
  wait.after = {says(words::kPluginFile, "")};
  wait.deadline = minutes(10);
  wait.look_every = seconds(5);
}

void OperatorBuilder::point_policy(const std::string& part, const std::string& map,
                                   const std::string& fallback, const std::string& found,
                                   std::string_view key) {
  std::string config = fmt::format(R"("name":"{}")", map);
  if (!fallback.empty()) config += fmt::format(R"(,"default":"{}")", fallback);
  std::string patch = fmt::format(R"({{"spec":{{"{}":{{"config":{{{}}}}}}}}})", part, config);
  Step& step =
      add(special(verbs::kPatchPolicy, {{"policy", site_.policy}, {"patch", patch}, {"found", found}}));
  step.before = guarded();
  step.after = {says(key, map)};
  step.deadline = minutes(2);
  step.undo = "point the ClusterPolicy at what it named before";
}

// Labels: a key without a value is taken off.
Step& OperatorBuilder::label(const std::map<std::string, std::string>& labels) {
  Step& step = add(special(verbs::kLabelNode, labels));
  step.before = empty();
  for (const auto& [key, value] : labels) step.after.push_back(says(key, value));
  return step;
}

// A success that is told for the order under way would pass for that of ours.
void OperatorBuilder::await_manager() {
  Step& step = add(LookOnly{}, {fmt::format("kubectl get node {} --watch --label-columns {},{}", node_,
                                            operators::kMigConfig, operators::kMigState)});
  step.before = guarded();
  step.after = {says(words::kMigWork, "")};
  step.deadline = kManager;
  step.look_every = seconds(2);
  step.retry = {};
}

void OperatorBuilder::change_mig() {
  const OperatorGoal::Mig& mig = *goal_.mig;
  if (mig.at_work) await_manager();
  Step& set = add(special(verbs::kOrderMig, {{"config", mig.name}, {"found", mig.found}}));
  set.before = empty();
  if (!goal_.devices.empty()) set.before.push_back(must_say(words::kDraStatic, ""));
  set.after = {says(words::kMigOrder, mig.name)};
  set.undo = earlier_label(operators::kMigConfig);
  Step& recover = add(special(verbs::kRecoverMig, {{"config", mig.name}, {"namespace", site_.ns}}));
  recover.before = empty();
  recover.after = {says(words::kMigStuck, "")};
  recover.deadline = minutes(3);
  recover.look_every = seconds(2);
  Step& follow = add(LookOnly{}, {fmt::format("kubectl get node {} --watch --label-columns {},{}", node_,
                                              operators::kMigConfig, operators::kMigState)});
  follow.before = {MarkIsOurs{}, NodeClosed{}, must_say(words::kMigFailure, ""),
                   says(words::kMigOrder, mig.name), says(words::kMigStuck, "")};
  follow.after = {Answering{}, says(words::kMigSlow, ""), says(operators::kMigConfig, mig.name),
                  says(operators::kMigState, "success")};
  follow.deadline = kManager;
  follow.look_every = seconds(2);
  follow.retry = {};
}

// The order that stood when the plan was made: another user's, given since, is not overwritten.
Condition OperatorBuilder::still_ordered(std::string_view key) const {
  return must_say(key, order_label(change_.node, &site_, key));
}

std::string OperatorBuilder::earlier_label(std::string_view key) const {
  auto labels = site_.labels.find(node_);
  if (labels == site_.labels.end()) return "";
  auto value = labels->second.find(std::string(key));
  return value == labels->second.end() ? fmt::format("take the label {} off", key)
                                       : fmt::format("set {}={}", key, value->second);
}

void OperatorBuilder::set_plugin() {
  const OperatorGoal::Plugin& plugin = *goal_.plugin;
  Step& step = label({{std::string(operators::kPluginConfig), plugin.name}});
  step.before.push_back(still_ordered(operators::kPluginConfig));
  step.undo = earlier_label(operators::kPluginConfig);
}

void OperatorBuilder::deploy_plugin() {
  const std::string key(operators::kPluginDeploy);
  Step& step = label({{key, *goal_.deploys ? "true" : "false"}});
  if (*goal_.deploys) step.before.push_back(still_ordered(key));
  step.undo = fmt::format("set {}={}", key, *goal_.deploys ? "false" : "true");
}

void OperatorBuilder::change_vgpu() {
  const OperatorGoal::Vgpu& vgpu = *goal_.vgpu;
  if (vgpu.config.empty()) {
    Step& back = label({{std::string(operators::kVgpuConfig), ""},
                        {std::string(operators::kVgpuState), ""},
                        {std::string(operators::kWorkload), vgpu.workload}});
    back.undo = earlier_label(operators::kVgpuConfig);
    return;
  }
  Step& set = add(special(verbs::kOrderVgpu,
                          {{"config", vgpu.config}, {"found", vgpu.found}, {"workload", vgpu.workload}}));
  set.before = empty();
  set.after = {says(words::kVgpuOrder, vgpu.config), says(operators::kWorkload, vgpu.workload)};
  set.undo = earlier_label(operators::kVgpuConfig);
  Step& follow = add(LookOnly{}, {fmt::format("kubectl get node {} --watch --label-columns {},{}", node_,
                                              operators::kVgpuConfig, operators::kVgpuState)});
  follow.before = {MarkIsOurs{}, NodeClosed{}, must_say(words::kVgpuFailure, ""),
                   says(words::kVgpuOrder, vgpu.config)};
  follow.after = {Answering{}, says(operators::kVgpuConfig, vgpu.config),
                  says(operators::kVgpuState, "success")};
  follow.deadline = kManager;
  follow.look_every = seconds(2);
  follow.retry = {};
}

// The plugins of the modes follow the label; each takes its resources away or brings them.
void OperatorBuilder::change_ack() {
  const OperatorGoal::Ack& ack = *goal_.ack;
  Step& step = label({{std::string(sharing::ack::kSchedule), ack.schedule}});
  step.before.push_back(still_ordered(sharing::ack::kSchedule));
  // Taking the label off would not bring the GPUs back.
  step.undo = fmt::format("set {}={}", sharing::ack::kSchedule,
                          ack.found.empty() ? std::string(sharing::ack::kWhole) : ack.found);
  Step& follow = add(LookOnly{}, {fmt::format("kubectl get node {} --watch --output "
                                              "jsonpath='{{.status.allocatable}}{{\"\\n\"}}'",
                                              node_)});
  follow.before = guarded();
  follow.before.push_back(says(sharing::ack::kSchedule, ack.schedule));
  follow.after = {Answering{}, says(words::kAckOffer, ack.schedule)};
  follow.deadline = minutes(10);
  follow.look_every = seconds(2);
  follow.retry = {};
}

// A cordon keeps pods off the node that do not tolerate it; this keeps claims off its devices, those too that
// come of the cut.
void OperatorBuilder::close_devices() {
  Step& step = add(special(verbs::kCloseDevices));
  step.before = guarded();
  step.after = {says(words::kDevices, "closed")};
  step.undo = "delete the DeviceTaintRule";
}

Step open_devices(const NodeName& node, const Conditions& proof) {
  Special act{std::string(verbs::kOpenDevices), {}};
  Step step =
      operator_step(act, commands_for(act, node, Dialect::gpu_operator, Scheduler::kubernetes, nullptr));
  step.before = {Answering{}};
  step.before.insert(step.before.end(), proof.begin(), proof.end());
  step.after = {WordIs{std::string(words::kDevices), "open"}};
  return step;
}

// It looks for instances only when it starts. One that has started since the cut is left alone.
void OperatorBuilder::restart_dra() {
  Step& step = add(special(verbs::kRestartDra));
  step.before = empty();
  if (goal_.mig) {
    step.before.push_back(says(operators::kMigConfig, goal_.mig->name));
    step.before.push_back(says(operators::kMigState, "success"));
  }
  step.after = {says(words::kDraAgain, ""), says(words::kDraDevices, goal_.devices)};
  step.deadline = minutes(5);
  step.look_every = seconds(2);
  step.undo = "nothing: its DaemonSet starts another pod";
}

// Labels say what was asked for; what stands is what the kubelet offers and feature discovery has seen.
Conditions OperatorBuilder::proof() const {
  Conditions proof;
  if (goal_.mig) {
    proof.push_back(says(operators::kMigConfig, goal_.mig->name));
    proof.push_back(says(operators::kMigState, "success"));
  }
  if (!goal_.devices.empty()) {
    proof.push_back(says(words::kDraAgain, ""));
    proof.push_back(says(words::kDraDevices, goal_.devices));
  }
  if (goal_.plugin) proof.push_back(says(operators::kPluginConfig, goal_.plugin->name));
  if (goal_.deploys || goal_.offers_nothing)
    proof.push_back(says(operators::kPluginDeploy, goal_.offers_nothing ? "false" : "true"));
  if (goal_.vgpu && !goal_.vgpu->config.empty()) proof.push_back(says(operators::kVgpuState, "success"));
  if (goal_.ack) {
    proof.push_back(says(sharing::ack::kSchedule, goal_.ack->schedule));
    proof.push_back(says(words::kAckOffer, goal_.ack->schedule));
  }
  return proof;
}

}  // namespace tessera::plan
