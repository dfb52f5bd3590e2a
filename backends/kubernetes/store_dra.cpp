// DRA devices and claims, on their way into nodes and work.
#include "backends/kubernetes/store_state.hpp"

namespace tessera::kubernetes {

std::vector<const ResourceClaimObject*> ClusterStore::State::gpu_claims_of(const PodObject& pod) const {
  std::vector<const ResourceClaimObject*> found;
  for (const std::string& name : pod.claims)
    if (const ResourceClaimObject* claim = claims.find(pod.meta.name_space + "/" + name))
      if (is_gpu_claim(*claim)) found.push_back(claim);
  return found;
}

// On a node whose GPUs are handed out by claims, a pod with one that may not be read may have some of them.
std::string ClusterStore::State::unknown_claim_of(const PodObject& pod) const {
  if (!slices.has(pod.node)) return {};
  for (const std::string& name : pod.claims)
    if (!claims.find(pod.meta.name_space + "/" + name)) return name;
  return {};
}

// What the driver's pod there says of dynamic MIG; those that say different things say nothing.
std::optional<bool> ClusterStore::State::gate_on(const std::string& node) const {
  std::optional<bool> gate;
  for (const StackPod& pod : stack_on(node)) {
    if (pod.component != kDraComponent || !pod.dynamic_mig) continue;
    if (gate && *gate != *pod.dynamic_mig) return std::nullopt;
    gate = pod.dynamic_mig;
  }
  return gate;
}

// Which of its slices a pod holds is reported by their numbers: those who hold some are told of again.
void ClusterStore::State::lay_claimed(Node& node, NodeEntry& entry) {
  DraNumbers numbers;
  const std::string& name = entry.object.meta.name;
  if (slices.has(name))
    numbers = lay_devices(node, slices.pool_on(name), slices.pool_of(name), claims, gate_on(name), catalogue,
                          origin(Source::kubernetes_claims));
  if (numbers == entry.numbers) return;
  entry.numbers = std::move(numbers);
  auto here = bound.find(name);
  if (here == bound.end()) return;
  for (const std::string& id : here->second)
    if (!pods.at(id).claims.empty()) retold.insert(id);
}

// The numbers of the node's devices that a pod holds.
std::vector<int> ClusterStore::State::claimed_by(const std::string& id, const NodeEntry& entry) const {
  std::vector<int> held;
  auto pod = pods.find(id);
  if (pod == pods.end()) return held;
  for (const ResourceClaimObject* claim : gpu_claims_of(pod->second)) {
    if (!is_held_by(*claim, pod->second.meta.name)) continue;
    for (const auto& result : claim->results)
      if (auto number = entry.numbers.find(result.device); number != entry.numbers.end())
        held.push_back(number->second);
  }
  return held;
}

void ClusterStore::State::slices_changed() {
  for (const std::string& name : slices.take_touched()) {
    if (auto node = nodes.find(name); node != nodes.end()) {
      NodeObject object = node->second.object;
      keep(std::move(object));  // without devices it may be no GPU node any more
    } else if (auto other = bare.extract(name)) {
      keep(std::move(other.mapped()));
    }
    if (auto here = bound.find(name); here != bound.end())
      for (const std::string& id : here->second)
        if (!pods.at(id).claims.empty()) retold.insert(id);
  }
  if (!nodes_complete) return;
  flush();
  post_remarks();
}

// What could be made beside what claims have is known once all of them are.
void ClusterStore::State::claims_listed(bool all) {
  if (claims.complete() != all)
    for (const auto& [name, entry] : nodes)
      if (slices.has(name)) mark(name);
  claims.set_complete(all);
}

void ClusterStore::State::claims_changed() {
  DraClaims::Touched touched = claims.take_touched();
  for (const std::string& pool : touched.pools) mark(slices.node_of(pool));
  for (const std::string& claim : touched.claims)
    if (auto found = claimants.find(claim); found != claimants.end())
      retold.insert(found->second.begin(), found->second.end());
  if (nodes_complete) flush();
}

void ClusterStore::State::index_claims(const PodObject& pod, bool there) {
  for (const std::string& name : pod.claims) {
    std::string claim = pod.meta.name_space + "/" + name;
    if (there) {
      claimants[claim].insert(pod.id());
    } else if (auto found = claimants.find(claim); found != claimants.end()) {
      found->second.erase(pod.id());
      if (found->second.empty()) claimants.erase(found);
    }
  }
}

}  // namespace tessera::kubernetes
