// The rules of the other platforms, and who asks which.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include "engine/sharing/limits.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/rules.hpp"

namespace tessera::sharing {

namespace {

void append(Violations& all, Violations more) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

bool mig_on(const NodeShape& node) {
  return std::any_of(node.boards.begin(), node.boards.end(), [](const BoardShape& b) { return b.mig; });
}

bool shares(const NodeShape& node) {
  return node.sharing.method == Strategy::mps || node.sharing.method == Strategy::time_slicing;
}

std::vector<std::vector<ProfileName>> cuts(const NodeShape& node) {
  std::vector<std::vector<ProfileName>> all;
  for (const BoardShape& board : node.boards) {
    all.push_back(board.instances);
    std::sort(all.back().begin(), all.back().end());
  }
  return all;
}

// Pools whose nodes are not all cut alike.
std::set<std::string> mixed_pools(std::span<const NodeShape> nodes) {
  std::map<std::string, std::vector<std::vector<ProfileName>>> first;
  std::set<std::string> mixed;
  for (const NodeShape& node : nodes) {
    if (node.group.empty()) continue;
    auto own = cuts(node);
    const auto [place, fresh] = first.try_emplace(node.group);
    if (fresh)
      place->second = std::move(own);
    else if (place->second != own)
      mixed.insert(node.group);
  }
  return mixed;
}

// GKE and AKS: one instance size for a whole pool.
Violations uniform_pool(std::span<const NodeShape> nodes, const char* rule) {
  Violations found;
  const std::set<std::string> mixed = mixed_pools(nodes);
  for (const NodeShape& node : nodes) {
    if (!mig_on(node)) continue;
    if (natural_strategy(node) != MigStrategy::single) {
      found.push_back({rule, fmt::format("{}: all instances of a node pool have one size", node.name)});
    } else if (mixed.contains(node.group)) {
      found.push_back({rule, fmt::format("{}: pool {} would hold nodes that are cut differently", node.name,
                                         node.group)});
    }
  }
  return found;
}

Violations gke_rules(std::span<const NodeShape> nodes) {
  Violations found = uniform_pool(nodes, "gke-uniform");
  for (const NodeShape& node : nodes) {
    if (shares(node) && (node.sharing.replicas < kMinClients || node.sharing.replicas > kMaxClients)) {
      found.push_back({"gke-clients", fmt::format("{}: sharing takes 2 to 48 clients for each GPU, not {}",
                                                  node.name, node.sharing.replicas)});
    }
    for (const BoardShape& board : node.boards) {
      const bool rtx = board.product != nullptr && board.product->key.text.starts_with("RTX-PRO-6000");
      const bool media = std::any_of(board.instances.begin(), board.instances.end(), [](const auto& name) {
        return name.text.find("+me") != std::string::npos;
      });
      if (!media || rtx) continue;
      found.push_back(
          {"gke-me", fmt::format("{}: profiles with +me are offered on RTX PRO 6000 only", node.name)});
      break;
    }
  }
  return found;
}

Violations hyperpod_slurm_rules(std::span<const NodeShape> nodes) {
  for (const NodeShape& node : nodes) {
    if (mig_on(node)) {
      return {{"hyperpod-slurm-no-mig",
               fmt::format("{}: MIG is not supported on HyperPod with Slurm", node.name)}};
    }
  }
  return {};
}

Violations slurm_rules(const NodeShape& node) {
  Violations found;
  const bool any_whole =
      std::any_of(node.boards.begin(), node.boards.end(), [](const BoardShape& board) { return !board.mig; });
  const bool replicated = shares(node) || node.sharing.method == Strategy::shard;
  if (replicated && !any_whole && !node.boards.empty()) {
    found.push_back({"slurm-share-whole", fmt::format("{}: mps and shard are counted on whole GPUs only, and "
                                                      "none would be left",
                                                      node.name)});
  }
  return found;
}

Violations fpt_rules(std::span<const NodeShape> nodes) {
  Violations found;
  for (const NodeShape& node : nodes) {
    append(found, fpt_one_layout(node));
    append(found, fpt_mps(node));
    append(found, fpt_time_slicing(node));
    append(found, fpt_whole_gpu(node));
  }
  append(found, fpt_one_strategy(nodes));
  return found;
}

// What sets a node apart from the others of its cluster or pool; empty: it is no matter of all.
using Kind = std::function<std::string(const NodeShape&)>;

struct Mixed {
  std::size_t one = 0, other = 0;
};

// A node that becomes what no other node was before, while others stay as they are.
std::optional<Mixed> mixed_by(std::span<const NodeShape> before, std::span<const NodeShape> after,
                              const Kind& kind, bool by_pool) {
  const auto same_pool = [&](std::size_t i, std::size_t j) {
    return !by_pool || (after[i].group == after[j].group && !after[i].group.empty());
  };
  std::vector<std::string> was, is;
  for (const NodeShape& node : before) was.push_back(kind(node));
  for (const NodeShape& node : after) is.push_back(kind(node));
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (is[i] == was[i]) continue;
    bool known = false;
    std::optional<std::size_t> unlike;
    for (std::size_t j = 0; j < after.size(); ++j) {
      if (j == i || !same_pool(i, j) || after[j].name == after[i].name) continue;
      known = known || was[j] == is[i];
      if (!unlike && is[j] != is[i]) unlike = j;
    }
    if (unlike && !known) return Mixed{i, *unlike};
  }
  return std::nullopt;
}

std::string cut_of(const NodeShape& node) {
  std::string text;
  if (!mig_on(node)) return text;
  for (const std::vector<ProfileName>& board : cuts(node)) {
    for (const ProfileName& name : board) text += name.text + " ";
    text += "|";
  }
  return text;
}

std::string mode_of_pool(const NodeShape& node) {
  return node.by_pool ? std::string(word(node.sharing.method)) : std::string();
}

void mixed_types(Violations& found, std::span<const NodeShape> before, std::span<const NodeShape> after) {
  const auto type = [](const NodeShape& node) {
    return std::string(word(node.type.value_or(node.strategy)));
  };
  const auto name = [](const NodeShape& one) { return one.group.empty() ? one.name : one.group; };
  const std::optional<Mixed> mixed = mixed_by(before, after, type, false);
  if (!mixed) return;
  const NodeShape &one = after[mixed->one], &other = after[mixed->other];
  found.push_back(
      {"fpt-b", fmt::format("all worker groups of a cluster share one type: {} is \"{}\", {} would "
                            "be \"{}\". One plan may change all of them",
                            name(other), type(other), name(one), type(one))});
}

void mixed_modes(Violations& found, std::span<const NodeShape> before, std::span<const NodeShape> after) {
  const std::optional<Mixed> mixed = mixed_by(before, after, mode_of_pool, true);
  if (!mixed) return;
  const NodeShape &one = after[mixed->one], &other = after[mixed->other];
  found.push_back(
      {"ack-pool",
       fmt::format("the label ack.node.gpu.schedule belongs to pool {}, so all its nodes change together: {} "
                   "would be {}, {} {}",
                   one.group, one.name, word(one.sharing.method), other.name, word(other.sharing.method))});
}

void mixed_cuts(Violations& found, const char* rule, std::span<const NodeShape> before,
                std::span<const NodeShape> after) {
  const std::optional<Mixed> mixed = mixed_by(before, after, cut_of, true);
  if (!mixed) return;
  const NodeShape& one = after[mixed->one];
  found.push_back(
      {rule, fmt::format("{}: pool {} would hold nodes that are cut differently", one.name, one.group)});
}

// The first node of a pool that the pool's plugin hands out in two ways, and the first that differs from it.
std::optional<Mixed> mixed_pool(std::span<const NodeShape> pool) {
  std::map<std::string, std::size_t> first;
  std::optional<Mixed> mixed;
  for (std::size_t i = 0; i < pool.size(); ++i) {
    if (!pool[i].by_pool || pool[i].group.empty()) continue;
    const std::size_t one = first.try_emplace(pool[i].group, i).first->second;
    const bool differs = pool[one].sharing.method != pool[i].sharing.method;
    if (differs && (!mixed || one < mixed->one)) mixed = Mixed{one, i};
  }
  return mixed;
}

bool holds(const Violations& all, const Violation& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

}  // namespace

Judged broken_by_change(Platform platform, std::span<const NodeShape> before,
                        std::span<const NodeShape> after) {
  Judged judged;
  for (std::size_t i = 0; i < after.size(); ++i) {
    const Violations was = check(platform, before.subspan(i, 1));
    for (Violation& one : check(platform, after.subspan(i, 1))) {
      if (holds(was, one))
        judged.standing.push_back(std::move(one));
      else if (!holds(judged.broken, one))
        judged.broken.push_back(std::move(one));
    }
  }
  if (platform == Platform::fpt) mixed_types(judged.broken, before, after);
  if (platform == Platform::gke) mixed_cuts(judged.broken, "gke-uniform", before, after);
  if (platform == Platform::aks) mixed_cuts(judged.broken, "aks-pool", before, after);
  mixed_modes(judged.broken, before, after);
  return judged;
}

Violations ack_rules(std::span<const NodeShape> pool, const AckFacts& facts) {
  Violations found;
  if (!facts.pro) found.push_back({"ack-pro", "GPU sharing needs an ACK Pro cluster"});
  if (compare_versions(facts.kubernetes, "1.20").value_or(0) < 0) {
    found.push_back(
        {"ack-version", fmt::format("GPU sharing needs Kubernetes 1.20 or later, not {}", facts.kubernetes)});
  }
  if (compare_versions(facts.component, "1.9.13").value_or(0) < 0) {
    found.push_back({"ack-component", fmt::format("MPS needs the sharing component 1.9.13 or later, not {}",
                                                  facts.component)});
  }
  if (facts.label_deleted) {
    found.push_back({"ack-label-default",
                     "deleting ack.node.gpu.schedule does not restore the node: set it to "
                     "default"});
  }
  if (const auto mixed = mixed_pool(pool)) {
    const NodeShape &node = pool[mixed->one], &other = pool[mixed->other];
    found.push_back(
        {"ack-pool",
         fmt::format("the label ack.node.gpu.schedule belongs to pool {}, so all its nodes change "
                     "together: {} would be {}, {} {}",
                     node.group, node.name, word(node.sharing.method), other.name,
                     word(other.sharing.method))});
  }
  return found;
}

Violations check(Platform platform, std::span<const NodeShape> nodes) {
  Violations found;
  const bool kubernetes = scheduler_of(platform) == Scheduler::kubernetes;
  for (const NodeShape& node : nodes) append(found, kubernetes ? plugin_rules(node) : slurm_rules(node));
  switch (platform) {
    case Platform::fpt: append(found, fpt_rules(nodes)); break;
    case Platform::ack: append(found, ack_rules(nodes, {})); break;
    case Platform::gke: append(found, gke_rules(nodes)); break;
    case Platform::aks: append(found, uniform_pool(nodes, "aks-pool")); break;
    case Platform::hyperpod_slurm: append(found, hyperpod_slurm_rules(nodes)); break;
    case Platform::gpu_operator:
    case Platform::eks:
    case Platform::hyperpod_eks:
    case Platform::parallel_cluster:
    case Platform::slurm: break;
  }
  return found;
}

Violations check_pod(Platform platform, const NodeShape& node, const PodShape& pod) {
  Violations found;
  if (platform == Platform::fpt) {
    append(found, fpt_mps_pod(node, pod));
    append(found, fpt_time_slicing_pod(node, pod));
    append(found, fpt_whole_gpu_pod(node, pod));
    return found;
  }
  if (scheduler_of(platform) != Scheduler::kubernetes) return found;
  // The plugin refuses more than one share under MPS by default, and under time-slicing where it is told to.
  const bool mps = node.sharing.method == Strategy::mps;
  if (!shares(node) || !node.sharing.refuse_more.value_or(mps)) return found;
  for (const ContainerShape& container : pod.containers) {
    for (const Request& request : container.requests) {
      if (request.count <= 1 || !parse_resource(request.resource, Scheduler::kubernetes)) continue;
      found.push_back({"plugin-request", fmt::format("container {} asks for {} of {}; a shared resource is "
                                                     "handed out one at a time",
                                                     container.name, request.count, request.resource)});
    }
  }
  return found;
}

}  // namespace tessera::sharing
