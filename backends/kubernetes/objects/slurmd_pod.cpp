#include "backends/kubernetes/objects/slurmd_pod.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/model/slinky.hpp"

namespace tessera::kubernetes {
namespace {

constexpr std::string_view kGroup = "slinky.slurm.net/";
constexpr std::string_view kHostname = "nodeset.slinky.slurm.net/pod-hostname";
constexpr std::string_view kPodName = "nodeset.slinky.slurm.net/pod-name";
constexpr std::string_view kScalingMode = "nodeset.slinky.slurm.net/scaling-mode";
constexpr std::string_view kPodCordon = "nodeset.slinky.slurm.net/pod-cordon";
constexpr std::string_view kState = "SlurmNodeState";
constexpr std::size_t kMostStates = 16;

// "NotResponding" → "NOT_RESPONDING", as Slurm writes it.
std::string flag_of(std::string_view word) {
  std::string flag;
  for (char c : word.substr(0, 32)) {
    const bool upper = c >= 'A' && c <= 'Z';
    if (upper && !flag.empty()) flag += '_';
    flag += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return flag;
}

bool has(const PodObject& pod, std::string_view state) {
  return std::find(pod.slurm_states.begin(), pod.slurm_states.end(), state) != pod.slurm_states.end();
}

std::string states_of(const PodObject& pod) {
  std::string text;
  for (const std::string& state : pod.slurm_states) text += (text.empty() ? "" : "+") + state;
  return text;
}

bool has_seen_cordon(const PodObject& pod) {
  auto found = pod.meta.annotations.find(kPodCordon);
  return found != pod.meta.annotations.end() && found->second == "true";
}

}  // namespace

void take_slurm_states(const std::vector<Condition>& conditions, PodObject& pod) {
  for (const Condition& condition : conditions) {
    if (!condition.type.starts_with(kState) || condition.status != "True") continue;
    const std::string_view word = std::string_view(condition.type).substr(kState.size());
    if (word.empty() || pod.slurm_states.size() >= kMostStates) continue;
    pod.slurm_states.push_back(flag_of(word));
    if (pod.slurm_reason.empty()) pod.slurm_reason = condition.message;
  }
}

std::string slurm_node_of(const PodObject& pod) {
  if (std::string_view name = pod.label(kHostname); !name.empty()) return std::string(name);
  // Others have a kind of that name, too.
  const bool of_slinky = pod.meta.owner_kind == "NodeSet" && pod.meta.owner_api.starts_with(kGroup);
  if (pod.label(kPodName).empty() && !of_slinky) return {};
  return pod.hostname.empty() ? pod.meta.name : pod.hostname;
}

// A drain that was there before the cordon proves nothing until slurm-operator has answered the cordon; one
// that another has made it leaves alone, and so it is never answered.
std::string why_in_use(const PodObject& pod) {
  const std::string node = slurm_node_of(pod);
  if (pod.meta.deleted) return {};
  if (pod.slurm_states.empty())
    return fmt::format("{} runs slurmd of {}, and slurm-operator has not reported the state of that node",
                       pod.id(), node);
  if (!slinky::is_empty(pod.slurm_states))
    return fmt::format("{} runs slurmd of {}, which is {} in Slurm", pod.id(), node, states_of(pod));
  const bool operators = pod.slurm_reason.empty() || pod.slurm_reason.starts_with(slinky::kOwnReason);
  if (operators && !has(pod, "DOWN") && !has_seen_cordon(pod))
    return fmt::format("{} runs slurmd of {}, and slurm-operator has not answered the cordon yet", pod.id(),
                       node);
  return {};
}

std::string why_not_back(const PodObject& pod) {
  const std::string node = slurm_node_of(pod);
  if (pod.meta.deleted) return fmt::format("{} is ending", pod.id());
  if (!pod.ready)
    return fmt::format("{} is not ready: {}", pod.id(),
                       !pod.reason.empty() ? pod.reason
                       : pod.phase.empty() ? "no reason is given"
                                           : pod.phase);
  if (pod.slurm_states.empty())
    return fmt::format("slurm-operator has not reported the state of {} yet", node);
  if (std::string state = slinky::why_not_up(pod.slurm_states); !state.empty())
    return fmt::format("{} is {} in Slurm", node, state);
  const bool drained = has(pod, "DRAIN") && !has(pod, "UNDRAIN");
  if (drained && pod.slurm_reason.starts_with(slinky::kOwnReason))
    return fmt::format("{} is still drained in Slurm: {}", node, pod.slurm_reason);
  return {};
}

operators::SlurmdPod slurmd_pod_of(const PodObject& pod) {
  operators::SlurmdPod one;
  one.slurm_node = slurm_node_of(pod);
  one.node_set = pod.meta.owner_name;
  one.node = pod.node;
  one.stays = pod.label(kScalingMode) != "StatefulSet";
  for (const auto& [resource, count] : pod.requests) one.requests[resource.str()] = count;
  return one;
}

}  // namespace tessera::kubernetes
