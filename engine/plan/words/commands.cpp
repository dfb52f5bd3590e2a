// The exact equivalent of each action, as an admin would type it.
#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/claimed_devices.hpp"
#include "engine/operators/labels.hpp"
#include "engine/operators/slinky.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/node_reboot.hpp"
#include "engine/plan/node_reset.hpp"
#include "engine/plan/node_restart.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/plan/words/slurm_words.hpp"
#include "engine/plan/words/wording.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

using Lines = std::vector<std::string>;

class Words {
 public:
  Words(const NodeName& node, Dialect dialect, Scheduler scheduler, const mig::Product* product)
      : name_(node),
        node_(shell_word(node.text)),
        rule_(operators::device_rule("RUN", node)),
        dialect_(dialect),
        slurm_(scheduler == Scheduler::slurm),
        product_(product) {}

  Lines operator()(const SetMark&) const {
    if (slurm_) return {};  // the drain reason is the mark
    return {fmt::format("kubectl annotate node {} {}='tessera RUN WHO@HOST'", node_, operators::kMark)};
  }
  Lines operator()(const ClearMark&) const {
    if (slurm_) return {};
    return {fmt::format("kubectl annotate node {} {}-", node_, operators::kMark)};
  }
  Lines operator()(const CloseNode& act) const {
    if (!slurm_) return {fmt::format("kubectl cordon {}", node_)};
    return {fmt::format("scontrol update NodeName={} State=DRAIN Reason={}", node_,
                        shell_quoted("tessera RUN WHO@HOST: " + act.words))};
  }
  Lines operator()(const OpenNode&) const {
    return {opening_command(name_, slurm_ ? Scheduler::slurm : Scheduler::kubernetes)};
  }
  Lines operator()(const Evict& act) const {
    const std::string& id = act.workload.text;
    if (slurm_)
      return {fmt::format("{} {}", act.way == Way::cancel ? "scancel" : "scontrol requeue", shell_word(id))};
    auto slash = id.find('/');
    if (slash == std::string::npos) return {fmt::format("kubectl delete pod {}", shell_word(id))};
    const std::string ns = id.substr(0, slash), pod = id.substr(slash + 1);
    if (dialect_ != Dialect::gpu_operator)
      return {fmt::format("kubectl delete pod --namespace {} {}", shell_word(ns), shell_word(pod))};
    const std::string eviction = fmt::format(
        R"({{"apiVersion":"policy/v1","kind":"Eviction","metadata":{{"name":"{}","namespace":"{}"}}}})", pod,
        ns);
    return {fmt::format("echo {} | kubectl create --raw {} -f -", shell_word(eviction),
                        shell_word(fmt::format("/api/v1/namespaces/{}/pods/{}/eviction", ns, pod)))};
  }
  Lines operator()(const DestroyInstances& act) const {
    std::string ids;
    for (const InstanceAt& one : act.instances) {
      if (!ids.empty()) ids += ',';
      ids +=
          one.id ? std::to_string(*one.id) : "ID-OF-" + one.profile.text + fmt::format("@{}", one.at.start);
    }
    return {fmt::format("nvidia-smi mig -i {} -gi {} -dci", act.gpu.value, ids),
            fmt::format("nvidia-smi mig -i {} -gi {} -dgi", act.gpu.value, ids)};
  }
  Lines operator()(const CreateInstances& act) const {
    std::string list;
    for (const InstanceAt& one : act.instances) {
      if (!list.empty()) list += ',';
      list += number(one.profile);
      if (act.chosen) list += fmt::format(":{}", one.at.start);
    }
    return {fmt::format("nvidia-smi mig -i {} -cgi {} -C", act.gpu.value, list)};
  }
  Lines operator()(const SetMode& act) const {
    return {fmt::format("nvidia-smi -i {} -mig {}", gpu_numbers(act.gpus), act.mig ? 1 : 0)};
  }
  Lines operator()(const ResetGpus& act) const {
    return {fmt::format("nvidia-smi -i {} --gpu-reset", gpu_numbers(act.gpus))};
  }
  Lines operator()(const Configure& act) const {
    std::string name = slurm_ ? "gres.conf" : "device plugin";
    std::string what = act.strategy == Strategy::whole
                           ? "each GPU whole"
                           : fmt::format("{} × {}", word(act.strategy), act.replicas);
    return {fmt::format("# {} of {}, GPU {}: {}", name, node_, gpu_numbers(act.gpus), what)};
  }
  Lines operator()(const LookOnly& act) const {
    auto lines = lines_in(act.to_apply);
    return {lines.begin(), lines.end()};
  }
  Lines operator()(const Special& act) const {
    if (act.verb == node_acts::kReopen) return (*this)(OpenNode{});
    if (act.verb == node_acts::kKeepClosed) return keeps_closed(argument_of(act, "words"));
    if (act.verb == reboots::kCancel) return {"scontrol cancel_reboot " + node_};
    if (act.verb == reboots::kAsk) return reboots_node(argument_of(act, "words"), argument_of(act, "found"));
    if (is_reset_look(act))
      return {fmt::format("nvidia-smi -i {} -q -d ECC,ROW_REMAPPER", shell_word(argument_of(act, "gpus")))};
    if (is_restart(act)) return restarts_plugin(argument_of(act, "namespace"));
    return slurm_ ? on_slurm(act) : by_operator(act);
  }

 private:
  // One that is closed stays so: without ASAP and nextstate Slurm leaves the drain as it is.
  Lines reboots_node(const std::string& words, const std::string& found) const {
    if (!found.empty()) return {"scontrol reboot " + node_};
    return {fmt::format("scontrol reboot ASAP nextstate=RESUME reason={} {}",
                        shell_quoted(words + " (tessera RUN WHO@HOST)"), node_)};
  }
  // Whose pod it is is looked up where the operator did not set it up: charts name it in many ways.
  Lines restarts_plugin(const std::string& ns) const {
    const std::string here = "--field-selector spec.nodeName=" + node_;
    if (!ns.empty())
      return {
          fmt::format("kubectl delete pod --namespace {} --selector app=nvidia-device-plugin-daemonset {}",
                      shell_word(ns), here)};
    return {"kubectl get pods --all-namespaces " + here,
            "kubectl delete pod --namespace NAMESPACE POD-OF-THE-DEVICE-PLUGIN"};
  }
  Lines keeps_closed(const std::string& words) const {
    if (!slurm_) return {fmt::format("kubectl cordon {}", node_)};
    return {fmt::format("scontrol update NodeName={} State=DRAIN Reason={}", node_,
                        shell_quoted(words + " (tessera RUN WHO@HOST)"))};
  }
  // Commands of the site's own are not known here: those acts have none.
  Lines on_slurm(const Special& act) const {
    namespace verb = slurm::verb;
    if (act.verb == verb::kWriteConfig) return {"# Gres=" + argument_of(act, "gres")};
    if (act.verb == verb::kReconfigure) return {"scontrol reconfigure"};
    if (act.verb == verb::kWriteBootFile) return {"tee " + shell_word(argument_of(act, "path"))};
    if (act.verb == verb::kBootUnit)
      return {fmt::format("systemctl {} {}", argument_of(act, "state") == "enabled" ? "enable" : "disable",
                          shell_word(argument_of(act, "unit")))};
    if (act.verb != verb::kApplyParted) return {};
    Lines lines{
        fmt::format("nvidia-mig-parted apply -f - -c {} <<'END'", shell_word(argument_of(act, "config")))};
    const std::string text = argument_of(act, "text");
    for (std::string_view line : lines_in(text)) lines.emplace_back(line);
    lines.emplace_back("END");
    return lines;
  }
  Lines by_operator(const Special& act) const {
    using operators::kMigConfig, operators::kMigState, operators::kVgpuConfig, operators::kVgpuState;
    const std::string config = shell_word(argument_of(act, "config"));
    if (act.verb == verbs::kReviewAccess) return questions(act);
    if (act.verb == verbs::kHoldAutoscaler)
      return {fmt::format("kubectl annotate node {} {}=true {}=true", node_, operators::kScaleDown,
                          operators::kDisrupt)};
    if (act.verb == verbs::kFreeAutoscaler)
      return {
          fmt::format("kubectl annotate node {} {}- {}-", node_, operators::kScaleDown, operators::kDisrupt)};
    if (act.verb == verbs::kPatchPolicy)
      return {fmt::format("kubectl patch clusterpolicy {} --type=merge -p {}",
                          shell_word(argument_of(act, "policy")), shell_word(argument_of(act, "patch")))};
    if (act.verb == verbs::kOrderMig)
      return {
          fmt::format("kubectl label node {} --overwrite {}={} {}-", node_, kMigConfig, config, kMigState)};
    if (act.verb == verbs::kOrderVgpu)
      return {fmt::format("kubectl label node {} --overwrite {}={} {}={} {}-", node_, operators::kWorkload,
                          shell_word(argument_of(act, "workload")), kVgpuConfig, config, kVgpuState)};
    if (act.verb == verbs::kLabelNode) return labels(act);
    if (act.verb == verbs::kStopSlurmd)
      return (*this)(Evict{WorkloadId(argument_of(act, "pod")), Way::requeue});
    if (act.verb == verbs::kTellSlurm)
      return {fmt::format("kubectl annotate node {} {}={}", node_, operators::kCordonReason,
                          shell_quoted("tessera RUN WHO@HOST: " + argument_of(act, "words")))};
    if (act.verb == verbs::kRecoverMig) return recovery(act);
    if (act.verb == verbs::kCloseDevices)
      return {"kubectl create -f - <<'END'",
              fmt::format(
                  "{{kind: DeviceTaintRule, apiVersion: resource.k8s.io/v1beta2, metadata: {{name: {}}}, ",
                  rule_),
              fmt::format(" spec: {{deviceSelector: {{driver: gpu.nvidia.com, pool: {}}},", node_),
              "        taint: {key: tessera/run, effect: NoSchedule}}}", "END"};
    if (act.verb == verbs::kOpenDevices) return {"kubectl delete devicetaintrule " + rule_};
    if (act.verb == verbs::kRestartDra)
      return {
          fmt::format("kubectl delete pod --all-namespaces --selector "
                      "dra-driver-nvidia-gpu-component=kubelet-plugin --field-selector spec.nodeName={}",
                      node_)};
    if (act.verb == verbs::kWriteMigConfig || act.verb == verbs::kWritePluginConfig)
      return {"kubectl edit configmap " + shell_word(argument_of(act, "map"))};
    return {"# " + act.verb};
  }
  static Lines questions(const Special& act) {
    Lines lines;
    const std::string asked = argument_of(act, "verbs");
    for (std::size_t at = 0; at < asked.size();) {
      std::size_t end = std::min(asked.find(", ", at), asked.size());
      std::string verb = asked.substr(at, end - at);
      std::size_t in = verb.find(" in ");
      std::string ns = in == std::string::npos ? argument_of(act, "namespace") : verb.substr(in + 4);
      verb = verb.substr(0, in);
      bool cluster_wide = verb.ends_with("nodes") || verb.ends_with("policies");
      lines.push_back(fmt::format("kubectl auth can-i {}{}", verb, cluster_wide ? "" : " --namespace " + ns));
      at = end + 2;
    }
    return lines;
  }
  Lines labels(const Special& act) const {
    std::string command = fmt::format("kubectl label node {} --overwrite", node_);
    for (const auto& [key, value] : act.arguments)
      command += value.empty() ? " " + key + "-" : fmt::format(" {}", shell_word(key + "=" + value));
    return {std::move(command)};
  }
  Lines recovery(const Special& act) const {
    std::string unpause = fmt::format("kubectl label node {} --overwrite", node_);
    for (std::string_view part : operators::kPausedParts)
      unpause += fmt::format(" {}{}=true", operators::kDeployPrefix, part);
    return {
        unpause + "  # those that say paused-for-mig-change",
        fmt::format("kubectl delete pod --namespace {} --selector app=nvidia-mig-manager --field-selector "
                    "spec.nodeName={}",
                    shell_word(argument_of(act, "namespace")), node_)};
  }
  std::string number(const ProfileName& name) const {
    const mig::Profile* profile = product_ ? product_->find(name.text) : nullptr;
    return profile && profile->id ? std::to_string(*profile->id) : name.text;
  }

  NodeName name_;
  std::string node_;  // as a shell takes it
  std::string rule_;  // of DRA devices
  Dialect dialect_;
  bool slurm_;
  const mig::Product* product_;
};

}  // namespace

std::vector<std::string> commands_for(const Action& action, const NodeName& node, Dialect dialect,
                                      Scheduler scheduler, const mig::Product* product) {
  return std::visit(Words(node, dialect, scheduler, product), action);
}

}  // namespace tessera::plan
