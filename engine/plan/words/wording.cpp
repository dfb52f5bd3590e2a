#include "engine/plan/words/wording.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/labels.hpp"
#include "engine/plan/effect/observed.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/steps/simulated_switches.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/sharing/ack.hpp"

namespace tessera::plan {
namespace {

template <class Kind>
bool has(const Conditions& conditions) {
  return std::any_of(conditions.begin(), conditions.end(),
                     [](const Condition& one) { return std::holds_alternative<Kind>(one); });
}
const WordIs* said(const Conditions& conditions, std::string_view key) {
  for (const Condition& one : conditions)
    if (const auto* word = std::get_if<WordIs>(&one); word && word->key == key) return word;
  return nullptr;
}

// The GPUs that are read back, each once.
std::vector<GpuIndex> boards_of(const Conditions& conditions) {
  std::vector<GpuIndex> gpus;
  auto add = [&](GpuIndex gpu) {
    if (std::find(gpus.begin(), gpus.end(), gpu) == gpus.end()) gpus.push_back(gpu);
  };
  for (const Condition& one : conditions) {
    if (const auto* layout = std::get_if<LayoutIs>(&one)) add(layout->gpu);
    if (const auto* mode = std::get_if<ModeIs>(&one))
      for (GpuIndex gpu : mode->gpus) add(gpu);
  }
  return gpus;
}

class Title {
 public:
  Title(const Step& step, const NodeName& node, Dialect dialect, std::size_t disturbed)
      : step_(step), node_(node.text), dialect_(dialect), disturbed_(disturbed) {}

  std::string operator()(const SetMark&) const { return "mark " + node_; }
  std::string operator()(const ClearMark&) const {
    return on_slurm() ? "verify that tessera's mark is removed" : "remove tessera's mark";
  }
  std::string operator()(const CloseNode&) const {
    return on_slurm() ? "drain " + node_ : fmt::format("close {} to new workloads", node_);
  }
  std::string operator()(const OpenNode&) const {
    return fmt::format("open {} again{}", node_, on_slurm() ? ", if the drain is still ours" : "");
  }
  std::string operator()(const Evict& act) const {
    if (dialect_ == Dialect::gpu_operator) return "evict " + act.workload.text;
    return (act.way == Way::cancel ? "end " : "requeue ") + act.workload.text;
  }
  std::string operator()(const DestroyInstances& act) const {
    return fmt::format("GPU {}: destroy {}", act.gpu.value, to_text(act.instances));
  }
  std::string operator()(const CreateInstances& act) const {
    return fmt::format("GPU {}: create {}", act.gpu.value, to_text(act.instances));
  }
  std::string operator()(const SetMode& act) const {
    return fmt::format("{}: MIG {}", boards_text(act.gpus), act.mig ? "on" : "off");
  }
  std::string operator()(const ResetGpus& act) const { return "reset " + boards_text(act.gpus); }
  std::string operator()(const Configure& act) const {
    std::string how = fmt::format("{}, {} replicas", word(act.strategy), act.replicas);
    if (act.strategy == Strategy::whole) how = "whole, not shared";
    if (act.strategy == Strategy::vgpu) how = "vGPU " + act.vgpu.text;
    return fmt::format("{}: {}", boards_text(act.gpus), how);
  }
  std::string operator()(const LookOnly&) const {
    if (has<ScopeEmpty>(step_.after)) return wait_for_work();
    if (step_.after.empty()) return step_.not_before ? "wait for the time" : "look at the node";
    if (waits_for_boot(step_)) return boot_look();
    if (has<Answering>(step_.after) && (reads(kClosedWord) || has<NodeClosed>(step_.after)))
      return fmt::format("verify that {} answers, and {}", node_,
                         has<NodeClosed>(step_.after) ? "is closed as before" : "takes jobs again");
    if (reads(restarts::kPluginOffers)) return "verify that the node advertises GPUs again";
    if (on_slurm()) return slurm_look();
    if (reads(words::kSlurmWork)) return "wait until no Slurm job runs there";
    if (reads(words::kSlurmBack)) return "wait until slurmd is back and takes jobs";
    if (dialect_ == Dialect::gpu_operator) return operator_look();
    return "verify GPUs and advertised resources";
  }
  std::string operator()(const Special& act) const {
    if (is_node_act(act)) return node_act(act);
    if (act.verb == reboots::kAsk) return fmt::format("have Slurm reboot {} once no job runs there", node_);
    if (act.verb == reboots::kCancel) return fmt::format("cancel the reboot of {}", node_);
    if (is_reset_look(act)) return reset_look(argument_of(act, "gpus"));
    if (is_restart(act)) return fmt::format("restart the device plugin's pod on {}", node_);
    return on_slurm() ? slurm_act(act) : operator_act(act);
  }

 private:
  bool on_slurm() const { return dialect_ == Dialect::slurm; }
  bool reads(std::string_view key) const { return said(step_.after, key) != nullptr; }
  std::string boot_look() const {
    if (disturbed_ == 0) return fmt::format("wait until {} has booted", node_);
    if (disturbed_ == 1) return fmt::format("wait until 1 job has ended and {} has booted", node_);
    return fmt::format("wait until {} jobs have ended and {} has booted", disturbed_, node_);
  }
  std::string wait_for_work() const {
    if (disturbed_ == 0) return "wait until no workload is running";
    const char* one = on_slurm() ? "job" : dialect_ == Dialect::gpu_operator ? "pod" : "workload";
    if (disturbed_ == 1) return fmt::format("wait until 1 {} has left", one);
    return fmt::format("wait until {} {}s have left", disturbed_, one);
  }

  static std::string reset_look(const std::string& numbers) {
    const auto gpus = parse_gpus(numbers);
    if (!gpus) return "read the GPUs back";
    return gpus->size() == 1
               ? fmt::format("verify that {} answers and needs no further reset", boards_text(*gpus))
               : fmt::format("verify that {} answer and need no further reset", boards_text(*gpus));
  }
  std::string node_act(const Special& act) const {
    if (act.verb == node_acts::kReopen)
      return fmt::format("open {} again, if the reason is still the same", node_);
    return on_slurm() ? fmt::format("drain {} until it is resumed", node_)
                      : fmt::format("close {} to new workloads until it is opened again", node_);
  }

  // --- Slurm

  std::string slurm_look() const {
    namespace key = slurm::key;
    if (reads(key::kController)) return "preflight: rights, controller, files, node";
    if (reads(key::kElsewhere)) return "verify that a reconfigure changes this node only";
    if (reads(key::kForgotten))
      return "wait until slurmctld has forgotten ended jobs that held mps or shards";
    if (!reads(key::kRegistered)) return "read the GPUs back";
    if (has<Answering>(step_.after)) return "read back: what Slurm offers, and that the node is registered";
    if (!reads(key::kGres)) return fmt::format("slurmd on {} has to be started", node_);
    return step_.deadline.count() == 0 ? "wait until the site's own automation has applied it"
                                       : "Slurm takes new GRES over only when its daemons start";
  }
  std::string slurm_act(const Special& act) const {
    namespace verb = slurm::verb;
    if (act.verb == verb::kStopClients) return "stop the site's own clients of the GPUs";
    if (act.verb == verb::kStartClients) return "start the site's own clients of the GPUs";
    if (act.verb == verb::kApplyParted)
      return boards_text(boards_of(step_.after)) +
             ": have nvidia-mig-parted clear what differs and make the layout";
    if (act.verb == verb::kWriteBootFile)
      return "write the layout for the next boot into " + argument_of(act, "path");
    if (act.verb == verb::kBootUnit)
      return argument_of(act, "state") == "enabled"
                 ? fmt::format("verify that the next boot applies it: {} is enabled",
                               argument_of(act, "unit"))
                 : argument_of(act, "unit") + " was enabled by the run: disable it again";
    if (act.verb == verb::kWriteConfig) return "write Slurm's files";
    if (act.verb == verb::kReconfigure) return "have Slurm read its files again";
    if (act.verb == verb::kOpenToLook) return "read the GPUs back";
    if (act.verb == verb::kRestartController) return "restart the controller";
    if (act.verb == verb::kRestartNode) return "restart slurmd on " + node_;
    return act.verb;
  }

  // --- the GPU operator

  std::string operator_look() const {
    if (reads(words::kDriverUpgrade)) return "preflight: operator, MIG manager, driver";
    if (reads(words::kMigFile)) return "wait until the MIG manager has the file";
    if (reads(words::kPluginFile)) return "wait until the device plugin has the file";
    if (reads(words::kMigWork)) return "wait until the MIG manager has ended what it is at";
    if (reads(words::kMigSlow)) return "follow the MIG manager";
    const bool follows = has<Answering>(step_.after);
    if (follows && reads(operators::kVgpuState)) return "follow the vGPU device manager";
    if (follows && reads(words::kAckOffer)) return "wait until it is offered";
    if (reads(words::kDraDevices)) return "read back: the devices that the DRA driver tells of";
    return "read back: what is advertised, and what feature discovery sees";
  }
  std::string operator_act(const Special& act) const {
    const std::string name = argument_of(act, "name"), map = argument_of(act, "map");
    if (act.verb == verbs::kReviewAccess) return "check RBAC permissions";
    if (act.verb == verbs::kHoldAutoscaler) return "keep autoscalers from taking the node away";
    if (act.verb == verbs::kFreeAutoscaler) return "let autoscalers have the node again";
    if (act.verb == verbs::kWriteMigConfig && act.arguments.contains("text"))
      return fmt::format("make {} with {}", map, name);
    if (act.verb == verbs::kWriteMigConfig || act.verb == verbs::kWritePluginConfig)
      return fmt::format("add {} to {}", name, map);
    if (act.verb == verbs::kPatchPolicy) return "let the operator read " + policy_reads();
    if (act.verb == verbs::kOrderMig) return "ask the MIG manager for " + argument_of(act, "config");
    if (act.verb == verbs::kOrderVgpu) return "ask the vGPU device manager for " + argument_of(act, "config");
    if (act.verb == verbs::kRecoverMig)
      return "only if the MIG manager hangs: undo its pauses and restart its pod";
    if (act.verb == verbs::kCloseDevices) return "keep claims off the devices of the node";
    if (act.verb == verbs::kOpenDevices) return "let claims have the devices of the node again";
    if (act.verb == verbs::kRestartDra)
      return "restart the DRA driver's pod, which finds instances when it starts";
    if (act.verb == verbs::kLabelNode) return label_title(act);
    if (act.verb == verbs::kTellSlurm) return "tell slurm-operator why it is drained";
    if (act.verb == verbs::kStopSlurmd)
      return fmt::format("evict {}, which runs slurmd of {}", argument_of(act, "pod"),
                         argument_of(act, "slurm_node"));
    return act.verb;
  }
  // The ConfigMap that is read back once the patch is made.
  std::string policy_reads() const {
    for (std::string_view key : {words::kMigMap, words::kPluginMap})
      if (const WordIs* map = said(step_.after, key)) return map->value;
    return "another ConfigMap";
  }
  static std::string label_title(const Special& act) {
    const std::string plugin(operators::kPluginConfig), vgpu(operators::kVgpuConfig),
        ack(sharing::ack::kSchedule);
    if (auto schedule = act.arguments.find(ack); schedule != act.arguments.end())
      return fmt::format("let ACK hand out {}",
                         schedule->second == sharing::ack::kMps ? "memory, by MPS" : "whole GPUs");
    if (auto deploy = act.arguments.find(std::string(operators::kPluginDeploy));
        deploy != act.arguments.end())
      return deploy->second == "false" ? "take the device plugin away" : "let the device plugin run again";
    if (argument_of(act, vgpu).empty() && act.arguments.contains(vgpu)) return "back to containers";
    if (const std::optional<Switches> played = simulated_switches(act.arguments))
      return fmt::format("switch shares to renameByDefault: {}, failRequestsGreaterThanOne: {}",
                         played->rename, played->refuse_several);
    if (!act.arguments.contains(plugin) || act.arguments.size() != 1) return "label the node";
    const std::string name = argument_of(act, plugin);
    return name.empty() ? "back to the device plugin's default configuration" : "share by " + name;
  }

  const Step& step_;
  const std::string& node_;
  Dialect dialect_;
  std::size_t disturbed_;
};

}  // namespace

std::string title_of(const Step& step, const NodeName& node, Dialect dialect, std::size_t disturbed) {
  return std::visit(Title(step, node, dialect, disturbed), step.action);
}

void name_steps(const NodeName& node, Dialect dialect, std::vector<Step>& steps, std::size_t disturbed) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    steps[i].id = fmt::format("{}/{}", node.text, i + 1);
    steps[i].title = title_of(steps[i], node, dialect, disturbed);
  }
}

std::string renamed_text(const std::vector<std::string>& steps) {
  if (steps.empty()) return "";
  constexpr std::size_t kNamedSteps = 5;
  std::string named;
  for (std::size_t i = 0; i < steps.size() && i < kNamedSteps; ++i) named += (i > 0 ? ", " : "") + steps[i];
  if (steps.size() > kNamedSteps) named += ", …";
  return fmt::format(
      "the journal calls {} step{} otherwise than what {} ({}): it was edited, or another version of tessera "
      "wrote it. What is shown is what the steps do.",
      steps.size(), steps.size() == 1 ? "" : "s", steps.size() == 1 ? "it does" : "they do", named);
}

void reword(Plan& plan) {
  const Dialect dialect = plan.capabilities.dialect;
  for (NodePlan& node : plan.nodes)
    for (Step& step : node.steps) {
      std::string title = title_of(step, node.node, dialect, node.blast_radius.size());
      if (step.title != title) plan.renamed.push_back(step.id);
      step.title = std::move(title);
      step.commands = commands_for(step.action, node.node, dialect, plan.scheduler, nullptr);
    }
}

}  // namespace tessera::plan
