// Nodes whose GPUs a DRA driver hands out: which of them may be cut, and by whom.
#include <fmt/format.h>

#include <algorithm>

#include "engine/operators/claimed_devices.hpp"
#include "engine/plan/steps/operator_goal.hpp"
#include "engine/plan/words/operator_words.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/shell.hpp"
#include "engine/text.hpp"

namespace tessera::plan {
namespace {

// "-i GPU-…": the driver's numbers and nvidia-smi's are two.
std::string board_word(const Node& node, GpuIndex index) {
  for (const Gpu& gpu : node.gpus)
    if (gpu.index == index && !gpu.uuid.empty()) return shell_word(clean(gpu.uuid, 64));
  return std::to_string(index.value);
}

// What an admin would type on the node; every instance of a GPU that changes goes.
std::string by_hand(const NodeChange& change) {
  std::string lines;
  const auto say = [&](const std::string& line) { lines += (lines.empty() ? "" : " && ") + line; };
  for (const BoardChange& board : change.boards) {
    const std::string gpu = board_word(change.node, board.gpu);
    if (board.before.mig && !board.before.instances.empty())
      say(fmt::format("nvidia-smi mig -i {0} -dci && nvidia-smi mig -i {0} -dgi", gpu));
    if (board.mode_changes) say(fmt::format("nvidia-smi -i {} -mig {}", gpu, board.after.mig ? 1 : 0));
    std::string profiles;
    for (const InstanceAt& one : board.after.instances)
      profiles += (profiles.empty() ? "" : ",") + clean(one.profile.text, 32);
    if (!profiles.empty()) say(fmt::format("nvidia-smi mig -i {} -cgi {} -C", gpu, profiles));
  }
  return lines;
}

}  // namespace

std::string claims_by_hand(const NodeChange& change) {
  const std::string node = shell_word(change.node.name.text);
  std::string cut = by_hand(change);
  if (cut.empty()) cut = "nvidia-smi";
  return fmt::format(
      "kubectl cordon {0}, wait until no claim has a device of it (kubectl get resourceclaims "
      "--all-namespaces), then on the node: {1}; then restart the driver's pod there, which looks for "
      "instances only when it starts: kubectl delete pod --all-namespaces --selector "
      "dra-driver-nvidia-gpu-component=kubelet-plugin --field-selector spec.nodeName={0}; then kubectl "
      "uncordon {0}",
      node, cut);
}

std::optional<std::string> never_cut(const Node& node) {
  BoardChange any;
  any.mode_changes = true;
  if (auto why = cut_by_claims(node)) return why;
  return fixed_at_creation(node, {any});
}

// By dra-driver-nvidia-gpu v0.5: it tells of instances that stand when it starts, or, with its gate
// DynamicMIG, makes and destroys them itself and takes away those of others.
std::optional<std::string> cut_by_claims(const Node& node) {
  if (!sharing::by_claims(node)) return std::nullopt;
  const operators::DraWay way = operators::way_of(node);
  if (way == operators::DraWay::on_demand || way == operators::DraWay::on_demand_dark)
    return fmt::format(
        "a DRA driver hands out the GPUs of {}, and cuts them itself as claims ask for it (dynamic MIG): "
        "when it starts it destroys every instance that it did not make. Let work claim the slices that it "
        "needs (kubectl get resourceslices, resourceclaims), or turn its gate DynamicMIG off first",
        node.name.text);
  if (way == operators::DraWay::not_told)
    return fmt::format(
        "a DRA driver hands out the GPUs of {}, and whether it cuts them itself (dynamic MIG, with which it "
        "destroys the instances that it did not make when it starts) is not certain: neither its devices "
        "nor its pod say so. Set featureGates.DynamicMIG=false in the values of its chart, so that its pod "
        "does",
        node.name.text);
  return std::nullopt;
}

std::optional<std::string> handed_out_by_claims(const NodeChange& change) {
  const Node& node = change.node;
  if (!sharing::by_claims(node)) return std::nullopt;
  if (auto why = cut_by_claims(node)) return why;
  const bool manager = std::any_of(node.components.begin(), node.components.end(), [](const Component& part) {
    return part.name == "MIG manager" && part.state != Part::missing;
  });
  const auto& site = change.can.gpu_operator;
  if (manager || !site || !site->gpu_cluster.empty()) return std::nullopt;
  return fmt::format(
      "a DRA driver hands out the GPUs of {}, and no MIG manager runs there, by which tessera would cut "
      "them: no other way to the node is known. Have the GPU operator run one there "
      "(nvidia.com/gpu.deploy.mig-manager=true), or by hand: {}",
      node.name.text, claims_by_hand(change));
}

// The manager counts GPUs as nvidia-smi does, the driver's devices bear their minor numbers, and the two may
// differ: what is the same for all of them needs no count. One that the driver does not tell of would be cut
// unseen.
std::optional<Error> not_by_manager(const operators::ClaimedBoards& wanted, const std::string& count) {
  auto sorted = [](std::vector<ProfileName> instances) {
    std::sort(instances.begin(), instances.end());
    return instances;
  };
  for (const auto& [gpu, instances] : wanted)
    if (sorted(instances) != sorted(wanted.begin()->second))
      return Error{"", "its MIG manager may count GPUs otherwise than its DRA driver does",
                   "give all its GPUs one layout: --node alone, without --gpu"};
  if (!count.empty() && count != std::to_string(wanted.size()))
    return Error{"",
                 fmt::format("its DRA driver tells of {} GPUs, and its label nvidia.com/gpu.count says {}",
                             wanted.size(), clean(count, 16)),
                 "kubectl get resourceslices shows which are missing; restart the driver's pod there"};
  return std::nullopt;
}

bool reads_devices_back(const NodePlan& node) {
  const auto told = [&](const std::string& text) {
    return std::all_of(node.after.begin(), node.after.end(), [&](const BoardState& board) {
      std::vector<ProfileName> instances;
      for (const InstanceAt& one : board.instances) instances.push_back(one.profile);
      const std::string own = operators::devices_text({{board.gpu.value, std::move(instances)}});
      return ("; " + text + "; ").find("; " + own + "; ") != std::string::npos;
    });
  };
  for (const Step& step : node.steps)
    for (const Condition& one : step.after)
      if (const auto* word = std::get_if<WordIs>(&one); word && word->key == words::kDraDevices)
        if (told(word->value)) return true;
  return false;
}

}  // namespace tessera::plan
