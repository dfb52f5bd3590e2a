#include "engine/model/both_sides.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/model/bridged_nodes.hpp"
#include "engine/model/elsewhere.hpp"
#include "engine/model/slinky.hpp"

namespace tessera::slinky {
namespace {

constexpr std::string_view kSlurmd = "slurmd";    // of a Kubernetes node
constexpr std::string_view kMachine = "machine";  // of a Slurm node

// Slurm nodes that name this pod, by the name that the pod gives them: one in each cluster at most.
int claims_on(const Model& model, const NodeName& name, const HostPod& pod) {
  int claims = 0;
  for (const Cluster& cluster : model.clusters) {
    if (cluster.scheduler != Scheduler::slurm) continue;
    const Node* node = cluster.nodes.find(name);
    claims += node && node->host_pod == pod;
  }
  return claims;
}

// Where the pod was placed, if that node has GPUs.
const Node* node_of(const Cluster& cluster, const Workload& pod) {
  return pod.allocations.empty() ? nullptr : cluster.nodes.find(pod.allocations.front().node);
}

bool is_read(const Cluster& cluster) { return cluster.loaded && !work_untold(cluster); }

std::vector<Side> slurm_sides(const Model& model, const Cluster& kubernetes, const Node& node) {
  std::vector<Side> sides;
  for (const WorkloadId& id : node.workloads) {
    const Workload* pod = kubernetes.workloads.find(id);
    const std::optional<std::string> name = pod ? slurm_node_of(*pod) : std::nullopt;
    if (!name) continue;
    for (const Cluster& cluster : model.clusters) {
      const bool slurm = cluster.scheduler == Scheduler::slurm;
      const Node* other = slurm ? cluster.nodes.find(NodeName(*name)) : nullptr;
      if (other && kubernetes_side(model, *other).side.node == &node) sides.push_back({&cluster, other, pod});
    }
  }
  return sides;
}

Part part_of(Health health) {
  switch (health) {
    case Health::ok: return Part::ready;
    case Health::draining:
    case Health::drained: return Part::paused;
    case Health::down:
    case Health::invalid: return Part::not_ready;
    case Health::unknown: break;
  }
  return Part::unknown;
}

// "gpu-0 on hpc: IDLE+DRAIN (slurm-operator: cordoned)"
Component component_of(std::string_view name, const Side& side) {
  const Node& node = *side.node;
  std::string text =
      fmt::format("{} on {}: {}", node.name.text, side.cluster->name.text, fmt::join(node.state, "+"));
  if (!node.reason.empty()) text += " (" + node.reason + ")";
  return {std::string(name), part_of(node.health), std::move(text)};
}

using Parts = std::vector<Component>;

// What a node's components are with what is told of its other sides now.
Parts with_sides(const Model& model, const Cluster& cluster, const Node& node) {
  Parts parts = node.components;
  std::erase_if(parts, is_of_other_side);
  const std::string_view name = cluster.scheduler == Scheduler::slurm ? kMachine : kSlurmd;
  for (const Side& side : other_sides(model, cluster, node)) parts.push_back(component_of(name, side));
  return parts;
}

bool tells_other_side(const Node& node) {
  return std::any_of(node.components.begin(), node.components.end(), is_of_other_side);
}

// It is one that slurm-bridge has, or had until now.
bool may_be_bridged(const Model& model, const Node& node) {
  const NodeName name(slurm_name(node));
  return is_managed(node) ||
         std::any_of(model.clusters.begin(), model.clusters.end(), [&](const Cluster& one) {
           return one.scheduler == Scheduler::slurm && one.nodes.find(name);
         });
}

// Whether a change of a Kubernetes cluster may be about a machine; what went may have been.
bool may_matter(const Model& model, const Cluster& kubernetes, const Changes& changes) {
  const auto runs_slurmd = [&](const WorkloadId& id) {
    const Workload* pod = kubernetes.workloads.find(id);
    return !pod || slurm_node_of(*pod);
  };
  return std::any_of(changes.workloads.begin(), changes.workloads.end(), runs_slurmd) ||
         std::any_of(changes.nodes.begin(), changes.nodes.end(), [&](const NodeName& name) {
           const Node* node = kubernetes.nodes.find(name);
           return !node || tells_other_side(*node) || may_be_bridged(model, *node) ||
                  std::any_of(node->workloads.begin(), node->workloads.end(), runs_slurmd);
         });
}

using Elsewhere = std::map<std::pair<const Cluster*, NodeName>, std::vector<OutOfUse>>;

// By the node of either side that does not know of it.
Elsewhere held_elsewhere(const Model& model) {
  Elsewhere all;
  const auto add = [&](const Cluster* cluster, const Node* node, const std::vector<OutOfUse>& held) {
    if (held.empty()) return;
    std::vector<OutOfUse>& to = all[{cluster, node->name}];
    to.insert(to.end(), held.begin(), held.end());
  };
  for (const Machine& machine : machines(model)) {
    add(machine.slurm, machine.slurm_node, held_by_kubernetes(model, machine));
    add(machine.kubernetes.cluster, machine.kubernetes.node, held_by_slurm(model, machine));
  }
  return all;
}

// What is out of use by the node's own word stays all that it keeps: the rest is worked out at each change.
void relink(const Cluster& cluster, Node& node, const std::vector<OutOfUse>& elsewhere) {
  const std::size_t own = node.out_of_use.size();
  node.out_of_use.insert(node.out_of_use.end(), elsewhere.begin(), elsewhere.end());
  link_holders(node, cluster.workloads, cluster.work_known);
  node.out_of_use.resize(own);
}

// Whether some of it may be taken for what another scheduler held there until now. Slurm itself tells of a
// slice that is out of use slice by slice.
bool may_be_taken(const Cluster& cluster, const Node& node) {
  if (node.counts.out == 0 && node.open_kinds.empty()) return false;
  return cluster.scheduler == Scheduler::slurm || is_managed(node) || tells_other_side(node);
}

std::vector<std::pair<Cluster*, NodeName>> maybe_taken(Model& model) {
  std::vector<std::pair<Cluster*, NodeName>> all;
  for (Cluster& cluster : model.clusters)
    for (const Node& node : cluster.nodes.all())
      if (may_be_taken(cluster, node)) all.emplace_back(&cluster, node.name);
  return all;
}

// Holds of one side take what the other side sees free.
void tell_holds(Model& model, const std::vector<std::pair<Cluster*, NodeName>>& before) {
  Elsewhere elsewhere = held_elsewhere(model);
  for (const auto& [cluster, name] : before) elsewhere[{cluster, name}];
  for (const auto& [whose, held] : elsewhere) {
    Cluster* cluster = model.find(whose.first->name);
    Node* node = cluster->nodes.change(whose.second);
    if (node) relink(*cluster, *node, held);
  }
}

}  // namespace

bool is_of_other_side(const Component& part) {
  return (part.name == kSlurmd || part.name == kMachine) && part.detail.find(" on ") != std::string::npos;
}

bool may_join(const Model& model) {
  const auto has = [&](Scheduler scheduler) {
    return std::any_of(model.clusters.begin(), model.clusters.end(),
                       [&](const Cluster& cluster) { return cluster.scheduler == scheduler; });
  };
  return has(Scheduler::slurm) && has(Scheduler::kubernetes);
}

Joined kubernetes_side(const Model& model, const Node& node) {
  if (!node.host_pod) return {};
  const WorkloadId id = node.host_pod->workload();
  bool any = false, unread = false, another = false;
  std::vector<Side> found;
  for (const Cluster& cluster : model.clusters) {
    if (cluster.scheduler != Scheduler::kubernetes) continue;
    any = true;
    unread = unread || !is_read(cluster);
    const Workload* pod = cluster.workloads.find(id);
    if (!pod) continue;
    if (slurm_node_of(*pod) == node.name.text)
      found.push_back({&cluster, node_of(cluster, *pod), pod});
    else
      another = true;
  }
  if (found.size() > 1 || claims_on(model, node.name, *node.host_pod) > 1) return {Join::twice, {}};
  if (found.size() == 1 && found.front().node) return {Join::joined, found.front()};
  if (!any) return {Join::absent, {}};
  if (unread) return {Join::unread, {}};
  return {another ? Join::another : Join::gone, {}};
}

std::vector<Side> other_sides(const Model& model, const Cluster& cluster, const Node& node) {
  if (cluster.scheduler == Scheduler::slurm && !node.host_pod) return {};
  if (!may_join(model)) return {};
  if (cluster.scheduler == Scheduler::kubernetes) return slurm_sides(model, cluster, node);
  const Joined joined = kubernetes_side(model, node);
  return joined.join == Join::joined ? std::vector{joined.side} : std::vector<Side>{};
}

std::vector<OtherWords> other_words(const Node& node) {
  std::vector<OtherWords> all;
  for (const Component& part : node.components) {
    if (!is_of_other_side(part)) continue;
    OtherWords words;
    words.scheduler = part.name == kSlurmd ? Scheduler::slurm : Scheduler::kubernetes;
    words.part = part.state;
    const std::string& text = part.detail;
    const std::size_t on = text.find(" on "), colon = text.find(": ", on);
    if (colon == std::string::npos) continue;
    words.node = text.substr(0, on);
    words.cluster = text.substr(on + 4, colon - on - 4);
    std::string rest = text.substr(colon + 2);
    if (const std::size_t open = rest.find(" ("); open != std::string::npos) {
      words.reason = rest.substr(open + 2, rest.size() - open - 3);
      rest.resize(open);
    }
    for (std::size_t at = 0; at < rest.size();) {
      const std::size_t end = std::min(rest.find('+', at), rest.size());
      words.state.push_back(rest.substr(at, end - at));
      at = end + 1;
    }
    all.push_back(std::move(words));
  }
  return all;
}

bool stands_for_jobs(const Cluster& cluster, const Workload& workload) {
  if (!slurm_node_of(workload) || workload.allocations.empty()) return false;
  const Node* node = cluster.nodes.find(workload.allocations.front().node);
  return node && !other_words(*node).empty();
}

// A Kubernetes watch may tell of thousands of nodes a second: most of them are no machines of Slurm's.
void tell_sides(Model& model, const Cluster& changed, const Changes& changes) {
  if (!changes.any() || !may_join(model)) return;
  if (changed.scheduler == Scheduler::kubernetes && !may_matter(model, changed, changes)) return;
  const std::vector<std::pair<Cluster*, NodeName>> taken = maybe_taken(model);
  std::vector<std::pair<Cluster*, NodeName>> about;
  for (Cluster& cluster : model.clusters)
    for (const Node& node : cluster.nodes.all()) {
      if (node.host_pod || tells_other_side(node)) about.emplace_back(&cluster, node.name);
      if (!node.host_pod) continue;
      const Side side = kubernetes_side(model, node).side;
      if (side.node) about.emplace_back(model.find(side.cluster->name), side.node->name);
    }
  struct Told {
    Cluster* cluster;
    NodeName node;
    Parts parts;
  };
  std::vector<Told> now;
  for (const auto& [cluster, name] : about)
    if (const Node* node = cluster->nodes.find(name))
      now.push_back({cluster, name, with_sides(model, *cluster, *node)});
  for (Told& told : now)
    if (told.parts != told.cluster->nodes.find(told.node)->components)
      told.cluster->nodes.change(told.node)->components = std::move(told.parts);
  tell_holds(model, taken);
}

}  // namespace tessera::slinky
