#include "tui/screens/node_names.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/text.hpp"

namespace tessera::tui {
namespace {

constexpr std::size_t kMostNodes = 20'000;
constexpr std::size_t kLongestName = 60;

// No name of a node has this in it; that of a cluster may.
constexpr char kBehindCluster = '/';

const Cluster* cluster_in_front(const Model& model, std::string_view typed) {
  const Cluster* longest = nullptr;
  for (const Cluster& one : model.clusters) {
    const std::string& name = one.name.text;
    const bool in_front = typed.starts_with(name) && typed.substr(name.size()).starts_with(kBehindCluster);
    if (in_front && (!longest || name.size() > longest->name.text.size())) longest = &one;
  }
  return longest;
}

bool has_all(const Cluster& cluster, const std::vector<NodeName>& nodes) {
  return std::all_of(nodes.begin(), nodes.end(),
                     [&](const NodeName& name) { return cluster.nodes.find(name) != nullptr; });
}

Error unknown_node(const std::string& name) {
  return {"no node is called " + clean(name, kLongestName), "", "Tab offers the nodes"};
}

Error of_several(const std::vector<const Cluster*>& clusters, std::string_view names) {
  std::string list;
  for (const Cluster* one : clusters) list += (list.empty() ? "" : ", ") + one->name.text;
  const std::string shown = clean(names, kLongestName);
  return {
      fmt::format("several clusters have {}", shown), list,
      fmt::format("write the cluster in front: {}{}{}", clusters.front()->name.text, kBehindCluster, shown)};
}

Result<NamedNodes> find(const Model& model, std::string_view typed, const Scheduler* of) {
  NamedNodes named;
  const Cluster* meant = cluster_in_front(model, typed);
  if (meant) typed.remove_prefix(meant->name.text.size() + 1);
  const std::size_t blank = std::min(typed.find(' '), typed.size());
  const std::string_view list = typed.substr(0, blank);
  const std::size_t behind = std::min(typed.find_first_not_of(' ', blank), typed.size());
  named.rest = typed.substr(behind);
  auto names = expand_hosts(list, kMostNodes);
  if (!names) return names.error();
  if (names->empty()) return unknown_node(std::string(list));
  for (const std::string& name : *names) named.nodes.emplace_back(name);

  std::vector<const Cluster*> found;
  for (const Cluster& one : model.clusters)
    if ((!meant || meant == &one) && has_all(one, named.nodes)) found.push_back(&one);
  const auto of_others = [&](const Cluster* one) { return of && one->scheduler != *of; };
  if (!std::all_of(found.begin(), found.end(), of_others)) std::erase_if(found, of_others);
  if (found.size() > 1) return of_several(found, list);
  if (found.size() == 1) {
    named.cluster = found.front();
    return named;
  }
  for (const NodeName& name : named.nodes)
    if (std::none_of(model.clusters.begin(), model.clusters.end(), [&](const Cluster& one) {
          return (!meant || meant == &one) && one.nodes.find(name) != nullptr;
        }))
      return unknown_node(name.text);
  return Error{"these nodes are not all of one cluster", "", "type those of each cluster by themselves"};
}

}  // namespace

Result<NamedNodes> named_nodes(const Model& model, std::string_view typed) {
  return find(model, typed, nullptr);
}
Result<NamedNodes> named_nodes(const Model& model, std::string_view typed, Scheduler of) {
  return find(model, typed, &of);
}

std::string typed_names(const Model& model, const Cluster& cluster, const std::vector<NodeName>& nodes) {
  std::vector<std::string> names;
  for (const NodeName& node : nodes) names.push_back(node.text);
  // Another cluster may list such a node by the time that this is carried out.
  const bool several = model.clusters.size() > 1;
  return (several ? cluster.name.text + kBehindCluster : "") + fold_hosts(names);
}

}  // namespace tessera::tui
