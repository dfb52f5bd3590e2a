// The steps for one node that the GPU operator looks after, as they are put together: private to the two
// files that do it (steps_operator.cpp: around the change; operator_change.cpp: the change itself). Threads:
// a plain object for one thread.
#pragma once

#include <fmt/format.h>

#include <map>
#include <set>

#include "engine/operators/labels.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/steps/slurmd_steps.hpp"
#include "engine/plan/words/operator_words.hpp"

namespace tessera::plan {

// With the patience of a step that only asks the API.
Step operator_step(Action action, std::vector<std::string> commands);
// Opens the node, frees it and takes the mark off. `proof` must still hold when the node is given back.
std::vector<Step> operator_release(const NodeName& node, const Conditions& proof);
// Takes the run's DeviceTaintRule away, if it is there.
Step open_devices(const NodeName& node, const Conditions& proof);

class OperatorBuilder {
 public:
  OperatorBuilder(const NodeChange& change, OperatorGoal goal)
      : change_(change),
        site_(*change.can.gpu_operator),
        goal_(std::move(goal)),
        slurmd_(slurmd_pods_on(change)),
        node_(change.node.name.text),
        free_(nobody_there()) {}
  std::vector<Step> run();

 private:
  Step& add(Action action, std::vector<std::string> commands) {
    return steps_.emplace_back(operator_step(std::move(action), std::move(commands)));
  }
  // With the commands that follow from the action alone.
  Step& add(Action action) {
    std::vector<std::string> commands =
        commands_for(action, change_.node.name, Dialect::gpu_operator, Scheduler::kubernetes, nullptr);
    return add(std::move(action), std::move(commands));
  }
  static Special special(std::string_view what, std::map<std::string, std::string> arguments = {}) {
    return {std::string(what), std::move(arguments)};
  }
  static Condition says(std::string_view key, std::string value) {
    return WordIs{std::string(key), std::move(value)};
  }
  static Condition must_say(std::string_view key, std::string value) {
    return WordIs{std::string(key), std::move(value), false};
  }
  // What everything on the node relies on: no other took it from us, and it takes no new work. The operator
  // may lift a cordon.
  Conditions guarded() const { return {Answering{}, MarkIsOurs{}, NodeClosed{}}; }
  Conditions empty() const {
    Conditions conditions = guarded();
    conditions.insert(conditions.end(), free_.begin(), free_.end());
    return conditions;
  }
  // While the operator works, GPUs and their slices may not be told: then the pods themselves count.
  Conditions nobody_there() const {
    Conditions conditions;
    if (!change_.scope) return conditions;
    conditions.push_back(ScopeEmpty{*change_.scope});
    if (change_.scope->boards.empty() || change_.scope->boards.size() >= change_.node.gpus.size())
      conditions.push_back(says(words::kGpuPods, ""));
    return conditions;
  }
  std::set<std::string> namespaces_to_evict_from() const;
  void tell_slurm();
  void await_slurm();
  void stop_slurmd();
  std::vector<Step> release() const;
  void preflight();
  void mark();
  void hold_autoscaler();
  void close();
  void evict();
  void await_empty();
  bool writes_map() const {
    return (goal_.mig && goal_.mig->entry) || (goal_.plugin && !goal_.plugin->text.empty());
  }
  bool points_policy() const {
    return (goal_.mig && !goal_.mig->text.empty()) || (goal_.plugin && !goal_.plugin->base.empty());
  }
  void write_maps();
  void write_mig_map(const OperatorGoal::Mig& mig);
  void write_plugin_map(const OperatorGoal::Plugin& plugin);
  void point_policy(const std::string& part, const std::string& map, const std::string& fallback,
                    const std::string& found, std::string_view key);
  Step& label(const std::map<std::string, std::string>& labels);
  void await_manager();
  void change_mig();
  Condition still_ordered(std::string_view key) const;
  std::string earlier_label(std::string_view key) const;
  void set_plugin();
  void deploy_plugin();
  void change_vgpu();
  void change_ack();
  void restart_dra();
  void close_devices();
  Conditions proof() const;
  void verify();
  const NodeChange& change_;
  const operators::OperatorSetup& site_;
  OperatorGoal goal_;
  const SlurmdPods slurmd_;
  std::string node_;
  Conditions free_;
  std::vector<Step> steps_;
};

}  // namespace tessera::plan
