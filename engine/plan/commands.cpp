// The exact equivalent of each action, as an admin would type it.
#include <fmt/format.h>

#include "engine/plan/steps.hpp"

namespace tessera::plan {
namespace {

using Lines = std::vector<std::string>;

std::string list_of(const std::vector<GpuIndex>& gpus) {
  std::string text;
  for (GpuIndex gpu : gpus) text += fmt::format("{}{}", text.empty() ? "" : ",", gpu.value);
  return text;
}

class Words {
 public:
  Words(const NodeName& node, Scheduler scheduler, const mig::Product* product)
      : node_(node.text), slurm_(scheduler == Scheduler::slurm), product_(product) {}

  Lines operator()(const SetMark&) const {
    if (slurm_) return {};  // the drain reason is the mark
    return {fmt::format("kubectl annotate node {} tessera/run=RUN", node_)};
  }
  Lines operator()(const ClearMark&) const {
    if (slurm_) return {};
    return {fmt::format("kubectl annotate node {} tessera/run-", node_)};
  }
  Lines operator()(const CloseNode& act) const {
    if (!slurm_) return {fmt::format("kubectl cordon {}", node_)};
    return {fmt::format("scontrol update NodeName={} State=DRAIN Reason=\"tessera RUN WHO@HOST: {}\"", node_,
                        act.words)};
  }
  Lines operator()(const OpenNode&) const {
    if (!slurm_) return {fmt::format("kubectl uncordon {}", node_)};
    return {fmt::format("scontrol update NodeName={} State=RESUME", node_)};
  }
  Lines operator()(const Evict& act) const {
    const std::string& id = act.workload.text;
    if (slurm_) return {fmt::format("{} {}", act.way == Way::cancel ? "scancel" : "scontrol requeue", id)};
    auto slash = id.find('/');
    if (slash == std::string::npos) return {fmt::format("kubectl delete pod {}", id)};
    return {fmt::format("kubectl delete pod --namespace {} {}", id.substr(0, slash), id.substr(slash + 1))};
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
    return {fmt::format("nvidia-smi -i {} -mig {}", list_of(act.gpus), act.mig ? 1 : 0)};
  }
  Lines operator()(const ResetGpus& act) const {
    return {fmt::format("nvidia-smi -i {} --gpu-reset", list_of(act.gpus))};
  }
  Lines operator()(const RebootNode&) const {
    if (!slurm_) return {fmt::format("ssh {} systemctl reboot", node_)};
    return {fmt::format("scontrol reboot ASAP nextstate=DOWN {}", node_)};
  }
  Lines operator()(const Configure& act) const {
    std::string name = slurm_ ? "gres.conf" : "device plugin";
    std::string what = act.strategy == Strategy::whole
                           ? "each GPU whole"
                           : fmt::format("{} × {}", word(act.strategy), act.replicas);
    return {fmt::format("# {} of {}, GPU {}: {}", name, node_, list_of(act.gpus), what)};
  }
  Lines operator()(const LookOnly&) const { return {}; }
  Lines operator()(const Special& act) const {
    std::string text = "# " + act.verb;
    for (const auto& [key, value] : act.arguments) text += fmt::format(" {}={}", key, value);
    return {text};
  }

 private:
  std::string number(const ProfileName& name) const {
    const mig::Profile* profile = product_ ? product_->find(name.text) : nullptr;
    return profile && profile->id ? std::to_string(*profile->id) : name.text;
  }

  std::string node_;
  bool slurm_;
  const mig::Product* product_;
};

}  // namespace

std::vector<std::string> commands_for(const Action& action, const NodeName& node, Scheduler scheduler,
                                      const mig::Product* product) {
  return std::visit(Words(node, scheduler, product), action);
}

}  // namespace tessera::plan
