#include "engine/pack/by_nodes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace tessera::pack {
namespace {

struct MayServe {
  std::vector<const Node*> with_gpus;
  std::vector<const Node*> unread;  // what they have is not known yet
};
MayServe that_may_serve(const Cluster& cluster, std::span<const NodeName> nodes) {
  MayServe all;
  for (const NodeName& name : nodes) {
    const Node* node = cluster.nodes.find(name);
    if (!node) continue;
    if (!node->gpus.empty() || !node->pool.empty())
      all.with_gpus.push_back(node);
    else if (may_come(*node))
      all.unread.push_back(node);
  }
  return all;
}

struct Reached {
  std::set<NodeName> nodes;
  bool guessed = false;  // it may start on some of them, on none for certain
};

Reached reached_of(const Cluster& cluster, const Workload& work, const std::vector<const Node*>& nodes) {
  Reach reach(cluster, work);
  // Thousands of jobs may name a node each: the others are not asked about.
  const why::Named named = why::named_by(work);
  std::set<NodeName> sure, perhaps;
  for (const Node* node : nodes) {
    if (!named.asks_for(*node) || !reach(*node)) continue;
    (reach.is_sure(*node) ? sure : perhaps).insert(node->name);
  }
  const bool none_sure = sure.empty();
  std::set<NodeName> found = none_sure ? std::move(perhaps) : std::move(sure);
  // Which nodes have the CPUs and the memory that a pod asks for is told of none.
  const bool guessed = !found.empty() && (none_sure || why::is_short_of_machine(work, cluster.scheduler));
  return {std::move(found), guessed};
}

// Of what may use unread nodes alone nothing is planned, and these are the reason.
Reached reached(const Cluster& cluster, const Workload& work, const MayServe& nodes) {
  Reached found = reached_of(cluster, work, nodes.with_gpus);
  if (found.nodes.empty()) found = {reached_of(cluster, work, nodes.unread).nodes, false};
  return found;
}

using Sets = std::map<std::set<NodeName>, std::vector<std::size_t>>;  // what waits, by its number

// Those of which most waits first.
std::vector<Sets::const_iterator> largest_first(const Sets& sets) {
  std::vector<Sets::const_iterator> all;
  for (auto at = sets.begin(); at != sets.end(); ++at) all.push_back(at);
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a->second.size() > b->second.size(); });
  return all;
}

}  // namespace

bool may_come(const Node& node) {
  const auto has = [&](std::string_view flag) {
    return std::find(node.state.begin(), node.state.end(), flag) != node.state.end();
  };
  return node.health == Health::unknown || has("POWERED_DOWN") || has("POWERING_DOWN") || has("POWERING_UP");
}

void sort_by_nodes(QueueDemand& queue, const Cluster& cluster, std::span<const NodeName> nodes,
                   const Stop& stop) {
  const MayServe all = that_may_serve(cluster, nodes);
  std::map<std::string, Reached> known;
  Sets sets;
  std::vector<bool> guessed(queue.waiting.size(), false);
  for (std::size_t i = 0; i < queue.waiting.size(); ++i) {
    if (stop && stop()) return;
    const Workload* work = cluster.workloads.find(queue.waiting[i].id);
    if (!work) continue;
    const auto [at, fresh] = known.try_emplace(why::reach_of(*work, cluster.scheduler));
    if (fresh) at->second = reached(cluster, *work, all);
    sets[at->second.nodes].push_back(i);
    guessed[i] = at->second.guessed;
  }
  const auto ordered = largest_first(sets);
  std::vector<QueueDemand::Waiting> waiting;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const auto& [set, numbers] = *ordered[i];
    if (i >= kMostGroups) {
      queue.beyond += static_cast<int>(numbers.size());
      continue;
    }
    QueueGroup& group = queue.groups.emplace_back();
    group.nodes = set, group.workloads = static_cast<int>(numbers.size());
    for (const std::size_t number : numbers) {
      group.waiting.push_back(queue.waiting[number]);
      queue.guessed += guessed[number] ? 1 : 0;
    }
    waiting.insert(waiting.end(), group.waiting.begin(), group.waiting.end());
  }
  // What has left the cluster waits no more.
  if (waiting.size() < queue.waiting.size()) queue.waiting = std::move(waiting);
  const auto is_all = [&](const QueueGroup& group) {
    return group.nodes.size() == all.with_gpus.size() &&
           std::all_of(all.with_gpus.begin(), all.with_gpus.end(),
                       [&](const Node* node) { return group.nodes.contains(node->name); });
  };
  if (queue.groups.size() == 1 && is_all(queue.groups.front())) queue.groups.clear();
  sum_up(queue);
}

std::vector<std::string> reach_text(const QueueDemand& queue) {
  std::vector<std::string> lines;
  if (queue.guessed > 0)
    lines.push_back(
        fmt::format("a guess for {} of the jobs or pods that are counted: which nodes they may use, or which "
                    "have enough CPUs and memory for them, is not known; they are planned for on all nodes "
                    "that they are not known to be kept off",
                    queue.guessed));
  if (queue.beyond > 0)
    lines.push_back(
        fmt::format("not counted: {} jobs or pods; they may use other nodes than the rest, in more ways than "
                    "are planned for at once ({})",
                    queue.beyond, kMostGroups));
  return lines;
}

}  // namespace tessera::pack
