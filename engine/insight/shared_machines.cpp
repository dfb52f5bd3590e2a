#include "engine/insight/shared_machines.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <utility>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/model/elsewhere.hpp"
#include "engine/text.hpp"

namespace tessera::insight {
namespace {

// What two schedulers would both hand out of one machine.
std::optional<int> free_in_both(const slinky::Machine& machine) {
  if (slinky::contested(machine) == 0) return 0;
  const auto free = [](const Cluster& cluster, const Node& node) {
    return available_slices(sight_of(cluster, node), node);
  };
  const auto here = free(*machine.slurm, *machine.slurm_node);
  const auto there = free(*machine.kubernetes.cluster, *machine.kubernetes.node);
  if (here == 0 || there == 0) return 0;
  return here && there ? std::optional(std::min(*here, *there)) : std::nullopt;
}

}  // namespace

std::vector<SharedMachine> shared_machines(const Model& model) {
  std::vector<SharedMachine> all;
  for (const slinky::Machine& machine : slinky::machines(model))
    all.push_back({machine.slurm->name, machine.kubernetes.cluster->name, machine.slurm_node->name,
                   machine.kubernetes.node->name, free_in_both(machine)});
  return all;
}

namespace {

// Names of clouds do not fold: six of them left no room for the sentence behind them.
std::string names_of(const std::vector<std::string>& nodes) {
  constexpr std::size_t kMost = 40;
  std::string all = fold_for_reading(nodes);
  return all.size() <= kMost ? all : some_of({nodes.begin(), nodes.end()}, 1);
}

}  // namespace

std::vector<std::string> shared_lines(const std::vector<SharedMachine>& machines) {
  struct Shared {
    std::vector<std::string> nodes, untold;
    int slices = 0;
  };
  std::map<std::pair<ClusterName, ClusterName>, Shared> by_pair;
  for (const SharedMachine& machine : machines) {
    if (machine.free_in_both == 0) continue;
    Shared& one = by_pair[{machine.slurm, machine.kubernetes}];
    (machine.free_in_both ? one.nodes : one.untold).push_back(machine.kubernetes_node.text);
    one.slices += machine.free_in_both.value_or(0);
  }
  std::vector<std::string> lines;
  for (const auto& [pair, one] : by_pair) {
    const std::string &slurm = pair.first.text, &kubernetes = pair.second.text;
    if (one.slices == 1)
      lines.push_back(
          fmt::format("{}: {} and {} hand out the same GPUs, and 1 free slice stands in the rows of both",
                      names_of(one.nodes), slurm, kubernetes));
    if (one.slices > 1)
      lines.push_back(
          fmt::format("{}: {} and {} hand out the same GPUs, and {} free slices stand in the rows of both",
                      names_of(one.nodes), slurm, kubernetes, one.slices));
    if (!one.untold.empty())
      lines.push_back(
          fmt::format("{}: {} and {} hand out the same GPUs, and how many free slices stand in "
                      "the rows of both is not known",
                      names_of(one.untold), slurm, kubernetes));
  }
  return lines;
}

}  // namespace tessera::insight
