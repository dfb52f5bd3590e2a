#include "tui/cli/pack/nodes_to_pack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/insight/available.hpp"
#include "engine/text.hpp"
#include "tui/cli/command_table.hpp"

namespace tessera::cli {
namespace {

// Every node of the only cluster, or those that --node means.
Or<ChosenNodes> nodes_of(const Options& options, const OpenClusters& clusters,
                         const mig::Catalogue& catalogue, const std::string& what) {
  if (!options.nodes.empty())
    return choose_nodes(options, clusters.model(), catalogue, clusters.wall(), what);
  if (clusters.model().clusters.size() != 1) {
    std::set<std::string> names;  // each is there as soon as it has answered: in no order of its own
    for (const Cluster& cluster : clusters.model().clusters) names.insert(cluster.name.text);
    return Refusal{{what, fmt::format("there are several clusters: {}", fmt::join(names, ", ")),
                    "name one with --cluster"},
                   kUsage};
  }
  ChosenNodes chosen;
  chosen.cluster = &clusters.model().clusters.front();
  for (const Node& node : chosen.cluster->nodes.all()) chosen.nodes.push_back(node.name);
  return chosen;
}

// Those of the partition that --partition names.
std::optional<Refusal> narrow(ChosenNodes& chosen, const std::string& partition, const std::string& what) {
  if (partition.empty()) return std::nullopt;
  std::erase_if(chosen.nodes, [&](const NodeName& name) {
    const std::vector<std::string>& of = chosen.cluster->nodes.find(name)->partitions;
    // Nodes of Kubernetes have no partition: only its work is narrowed there.
    return chosen.cluster->scheduler == Scheduler::slurm &&
           std::find(of.begin(), of.end(), partition) == of.end();
  });
  if (!chosen.nodes.empty()) return std::nullopt;
  return Refusal{{what, "no node is in partition \"" + clean(partition, 100) + "\"",
                  "tessera nodes --columns node,partitions lists them"},
                 kUsage};
}

}  // namespace

Or<ChosenNodes> nodes_to_pack(const Options& options, const OpenClusters& clusters,
                              const mig::Catalogue& catalogue, const std::string& what) {
  Or<ChosenNodes> found = nodes_of(options, clusters, catalogue, what);
  if (std::holds_alternative<Refusal>(found)) return found;
  ChosenNodes& chosen = std::get<ChosenNodes>(found);
  if (auto refusal = narrow(chosen, options.partition, what)) return std::move(*refusal);
  if (!chosen.cluster->loaded || !insight::work_is_current(*chosen.cluster))
    return Refusal{
        {"no complete answer from " + clean(chosen.cluster->name.text, 100),
         fmt::format("its workloads could not be read within {} s", options.timeout.count() / 1000),
         "tessera doctor names the source that fails; --cluster leaves other clusters out"},
        kUnknown};
  return found;
}

void tell_of_empty_namespace(const Options& options, const Cluster& cluster, const Streams& streams) {
  if (options.partition.empty() || cluster.scheduler == Scheduler::slurm) return;
  const auto all = cluster.workloads.all();
  if (std::any_of(all.begin(), all.end(),
                  [&](const Workload& one) { return one.group == options.partition; }))
    return;
  complain(streams, {"--partition " + clean(options.partition, 100),
                     "no pod in that namespace holds or asks for GPUs", "kubectl get namespaces lists them"});
}

}  // namespace tessera::cli
