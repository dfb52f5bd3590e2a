#include "backends/kubernetes/change/claimed_facts.hpp"

#include <fmt/format.h>

#include "backends/kubernetes/change/cut_end.hpp"
#include "backends/kubernetes/objects/components.hpp"
#include "backends/kubernetes/objects/dra_counters.hpp"
#include "engine/operators/claimed_devices.hpp"
#include "engine/plan/words/operator_words.hpp"

namespace tessera::kubernetes {
namespace {

// The chart's controller bears the same labels, and is no DaemonSet's.
bool is_driver(const PodObject& pod) {
  return component_of(pod) == kDraComponent && pod.meta.owner_kind == "DaemonSet";
}

const PodObject* driver_on(const Look& look) {
  const PodObject* found = nullptr;
  for (const PodObject& pod : look.pods)
    if (is_driver(pod) && !pod.meta.deleted && (!found || pod.ready)) found = &pod;
  return found;
}

}  // namespace

ClaimedNode::ClaimedNode(const Look& look) : look_(look) {
  for (const ResourceSliceObject& slice : look.slices) slices_.keep(slice);
  for (const ResourceClaimObject& claim : look.claims) claims_.keep(claim);
  claims_.set_complete(true);
  pool_ = slices_.pool_on(look.name);
  bool both = false;
  for (const PodObject& pod : look.pods)
    if (auto told = is_driver(pod) ? gate_of(pod.feature_gates) : std::nullopt) {
      both = both || (gate_ && *gate_ != *told);
      gate_ = told;
    }
  if (both) gate_.reset();
}

void ClaimedNode::lay(Node& node, const mig::Catalogue* catalogue) {
  on_demand_ = cuts_on_demand(pool_, gate_, catalogue);
  numbers_ = lay_devices(node, pool_, slices_.pool_of(look_.name), claims_, gate_, catalogue,
                         {Source::kubernetes_claims, look_.at});
}

std::vector<const ResourceClaimObject*> ClaimedNode::claims_of(const PodObject& pod) const {
  std::vector<const ResourceClaimObject*> found;
  for (const std::string& name : pod.claims)
    if (const ResourceClaimObject* claim = claims_.find(pod.meta.name_space + "/" + name))
      if (is_gpu_claim(*claim)) found.push_back(claim);
  return found;
}

void ClaimedNode::add_to(Workload& work, const PodObject& pod) const {
  add_claims(work, pod, claims_of(pod), numbers_, pool_.devices);
}

// How it holds, in words; empty: it does not.
std::string ClaimedNode::claim_in_use(const PodObject& pod) const {
  if (pod.phase == "Succeeded" || pod.phase == "Failed" || !component_of(pod).empty()) return {};
  for (const std::string& name : pod.claims) {
    const ResourceClaimObject* claim = claims_.find(pod.meta.name_space + "/" + name);
    if (!claim) return fmt::format("{} has the claim {}, which is not told", pod.id(), name);
    if (is_gpu_claim(*claim) && is_held_by(*claim, pod.meta.name))
      return fmt::format("{} has devices by the claim {}", pod.id(), name);
  }
  return {};
}

std::string ClaimedNode::holder() const {
  for (const PodObject& pod : look_.pods)
    if (std::string how = claim_in_use(pod); !how.empty()) return how;
  // The driver has one pool a node, called like it.
  const std::string pool = any() ? slices_.pool_of(look_.name) : look_.name;
  for (const ResourceClaimObject& claim : look_.claims)
    for (const auto& result : claim.results)
      if (result.driver == kDraDriver && result.pool == pool && !result.admin)
        return fmt::format("the claim {} has {}", claim.id(), result.device);
  return {};
}

std::string ClaimedNode::again() const {
  const PodObject* pod = driver_on(look_);
  if (!pod) return fmt::format("the DRA driver has no pod on {}", look_.name);
  const CutEnd cut = end_of_cut(look_.node);
  if (!cut.at) return cut.untold + (cut.hint.empty() ? "" : ": " + cut.hint);
  if (!pod->meta.created) return "since when the DRA driver's pod has run is not told";
  if (*pod->meta.created <= *cut.at)
    return fmt::format("the DRA driver's pod {} is the one from before the cut", pod->meta.name);
  return pod->ready ? "" : fmt::format("the DRA driver's pod {} is not ready", pod->meta.name);
}

void ClaimedNode::tell(plan::NodeFacts& facts) const {
  namespace fact = plan::words;
  const auto say = [&](std::string_view key, std::string text) {
    facts.words[std::string(key)] = std::move(text);
  };
  const PodObject* pod = driver_on(look_);
  say(fact::kDraDriver, !pod         ? fmt::format("the DRA driver has no pod on {}", look_.name)
                        : pod->ready ? ""
                                     : fmt::format("the DRA driver's pod {} is not ready", pod->meta.name));
  say(fact::kDraStatic, on_demand_ == false ? ""
                        : on_demand_        ? "the DRA driver cuts GPUs itself (dynamic MIG)"
                                            : "whether the DRA driver cuts GPUs itself is not certain");
  say(fact::kDraDevices, !pool_.complete
                             ? "a part of its list of devices is missing"
                             : operators::devices_text(operators::claimed_boards(facts.node.gpus)));
  say(fact::kDraAgain, again());
}

}  // namespace tessera::kubernetes
