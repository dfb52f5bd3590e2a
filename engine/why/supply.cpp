#include "engine/why/supply.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/hostlist.hpp"
#include "engine/insight/available.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/why/details.hpp"

namespace tessera::why {
namespace {

// The node once this work has left it. False: it holds nothing there that is known slice by slice.
bool leave(Node& node, const WorkloadId& id) {
  bool left = false;
  const auto look = [&](Slice& slice) {
    const auto gone =
        std::erase_if(slice.holders, [&](const Holder& holder) { return holder.workload == id; });
    if (gone == 0 || !slice.exact) return;
    left = true;
    if (slice.holders.empty()) slice.holding = Holding::free, slice.told_held = false;
  };
  for (Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
  std::for_each(node.pool.begin(), node.pool.end(), look);
  if (left) std::erase(node.workloads, id);
  return left;
}

// Closed nodes by whom it would be taken at once if they were opened. What a run has closed it opens itself:
// opened in the middle of it, jobs would meet the change.
std::vector<Offer> closed_with_room(const Cluster& cluster, const Workload& workload, const Site& site,
                                    const std::vector<Candidates>& nodes) {
  std::vector<Offer> offers;
  if (!insight::nodes_are_current(cluster)) return offers;
  const Cluster alone = around(cluster);
  for (const Node* node : nodes_with(cluster, nodes, Topic::node)) {
    if (node->health != Health::drained && node->health != Health::draining) continue;
    if (plan::parse_mark(node->reason)) continue;
    Node open = *node;
    open.health = Health::ok;
    std::erase_if(open.state,
                  [](const std::string& flag) { return flag == "MAINT" || flag == "MAINTENANCE"; });
    if (look_at(alone, open, workload, site).fits) offers.push_back({node->name, std::nullopt, true});
  }
  return offers;
}

std::string names_of(const std::vector<NodeName>& nodes) {
  std::string text;
  for (const NodeName& one : nodes) text += (text.empty() ? "" : ",") + one.text;
  return text;
}

std::string opening_text(const Gathered& with, int needed) {
  const std::string names = names_of(with.opened);
  const bool several = with.opened.size() > 1;
  if (needed == 1 && !with.last)
    return fmt::format("open {} once the reason for its closing is gone: it has room for it", names);
  if (with.last)
    return several
               ? fmt::format(
                     "open {} once the reasons for their closing are gone: it then has its {} "
                     "nodes by {} at the latest, by the time limit of {} of {}",
                     names, needed, time_of(with.last->at), name_of(*with.last->last), with.last->last->user)
               : fmt::format(
                     "open {} once the reason for its closing is gone: it then has its {} nodes "
                     "by {} at the latest, by the time limit of {} of {}",
                     names, needed, time_of(with.last->at), name_of(*with.last->last), with.last->last->user);
  return several
             ? fmt::format("open {} once the reasons for their closing are gone: it then has its {} nodes",
                           names, needed)
             : fmt::format("open {} once the reason for its closing is gone: it then has its {} nodes", names,
                           needed);
}

Remedy opening(const Cluster& cluster, std::string text, const std::vector<NodeName>& nodes) {
  return {Help::admin, std::move(text), plan::opening_command(NodeName(names_of(nodes)), cluster.scheduler),
          Certainty::likely};
}

// A part of what it needs: said as that. Where it names nodes, others are no part.
std::vector<Remedy> opening_is_not_enough(const Cluster& cluster, const Asked& asked,
                                          const std::vector<std::string>& must,
                                          const std::vector<Offer>& closed, std::size_t now) {
  std::vector<NodeName> part;
  for (const Offer& one : closed)
    if (must.empty() || std::find(must.begin(), must.end(), one.node.text) != must.end())
      part.push_back(one.node);
  if (part.empty()) return {};
  return {
      opening(cluster,
              fmt::format("open {}, once the reason for the closing is gone: that alone starts nothing, {} "
                          "of the {} nodes that it needs have room for it then",
                          names_of(part), now + part.size(), asked.nodes),
              part)};
}

}  // namespace

std::optional<Freed> first_freed(const Cluster& cluster, const Node& node,
                                 const std::function<bool(const Node& later)>& is_enough) {
  std::vector<const Workload*> there;
  for (const WorkloadId& id : node.workloads)
    if (const Workload* one = cluster.workloads.find(id); one && one->ends) there.push_back(one);
  std::sort(there.begin(), there.end(),
            [](const Workload* a, const Workload* b) { return *a->ends < *b->ends; });
  Node later = node;
  for (const Workload* one : there) {
    if (!leave(later, one->id)) continue;
    if (is_enough(later)) return Freed{*one->ends, one};
  }
  return std::nullopt;
}

Cluster around(const Cluster& cluster) {
  Cluster alone;
  alone.name = cluster.name, alone.scheduler = cluster.scheduler, alone.simulated = cluster.simulated;
  // Without sources what was told is all there is: the nodes that are left out here were.
  alone.loaded = cluster.loaded || (cluster.sources.empty() && !cluster.nodes.empty());
  alone.work_known = cluster.work_known, alone.progress = cluster.progress;
  alone.sources = cluster.sources, alone.partitions = cluster.partitions;
  return alone;
}

std::size_t nodes_that_fit(const std::vector<Candidates>& nodes) {
  std::size_t count = 0;
  for (const Candidates& one : nodes) count += one.fits ? one.nodes.size() : 0;
  return count;
}

std::vector<const Node*> nodes_with(const Cluster& cluster, const std::vector<Candidates>& nodes,
                                    Topic topic) {
  std::vector<const Node*> found;
  for (const Candidates& one : nodes)
    for (const NodeName& name : one.nodes)
      if (!one.fits && one.topic == topic && found.size() < kMostNodes)
        if (const Node* node = cluster.nodes.find(name)) found.push_back(node);
  return found;
}

bool has_gpus(const Cluster& cluster, const Node& node, const Workload& workload, const Site& site) {
  return serves(stock_now(cluster, node, *site.catalogue).free.units, asked_of(workload, cluster.scheduler),
                cluster.scheduler);
}

std::optional<std::vector<std::string>> must_have(const Workload& workload) {
  if (!workload.needs || workload.needs->nodes.empty()) return std::vector<std::string>();
  auto names = expand_hosts(workload.needs->nodes);
  if (!names) return std::nullopt;
  return std::move(*names);
}

std::optional<Gathered> gather(const Asked& asked, const std::vector<std::string>& must,
                               const std::vector<Offer>& offers) {
  const auto is_named = [&](const Offer& one) {
    return std::find(must.begin(), must.end(), one.node.text) != must.end();
  };
  std::vector<const Offer*> chosen;
  for (const Offer& one : offers)
    if (is_named(one)) chosen.push_back(&one);
  if (chosen.size() < must.size()) return std::nullopt;
  const auto needed = static_cast<std::size_t>(std::max(1, asked.nodes));
  for (const Offer& one : offers)
    if (chosen.size() < needed && !is_named(one)) chosen.push_back(&one);
  if (chosen.size() < needed) return std::nullopt;
  Gathered all;
  for (const Offer* one : chosen) {
    if (one->later && (!all.last || all.last->at < one->later->at)) all.last = one->later;
    if (one->closed) all.opened.push_back(one->node);
  }
  return all;
}

std::vector<Offer> offers_of(const Cluster& cluster, const Workload& workload, const Site& site,
                             const std::vector<Candidates>& nodes) {
  std::vector<Offer> now, later;
  for (const Candidates& one : nodes)
    if (one.fits)
      for (const NodeName& name : one.nodes) now.push_back({name});
  const Asked asked = asked_of(workload, cluster.scheduler);
  for (const Node* node : nodes_with(cluster, nodes, Topic::room))
    if (!has_gpus(cluster, *node, workload, site))
      if (auto freed = first_freed(cluster, *node, [&](const Node& then) {
            return serves(stock_now(cluster, then, *site.catalogue).free.units, asked, cluster.scheduler);
          }))
        later.push_back({node->name, freed});
  std::stable_sort(later.begin(), later.end(),
                   [](const Offer& a, const Offer& b) { return a.later->at < b.later->at; });
  now.insert(now.end(), later.begin(), later.end());
  return now;
}

std::vector<Remedy> opening_remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                                     const std::vector<Candidates>& nodes) {
  const std::vector<Offer> closed = closed_with_room(cluster, workload, site, nodes);
  const auto must = must_have(workload);
  if (closed.empty() || !must) return {};
  const Asked asked = asked_of(workload, cluster.scheduler);
  // One node that has room is enough: why it does not start on those that have it is not known here.
  if (asked.nodes == 1) {
    const auto with = gather(asked, *must, closed);
    if (!with) return {};
    return {opening(cluster, opening_text(*with, 1), with->opened)};
  }
  std::vector<Offer> offers = offers_of(cluster, workload, site, nodes);
  const auto without = gather(asked, *must, offers);
  const auto is_later = [](const Offer& one) { return one.later.has_value(); };
  const auto first_later = std::find_if(offers.begin(), offers.end(), is_later);
  const auto now = static_cast<std::size_t>(first_later - offers.begin());
  offers.insert(first_later, closed.begin(), closed.end());
  if (const auto with = gather(asked, *must, offers); with && !with->opened.empty()) {
    if (without && without->last && with->last && without->last->at <= with->last->at) return {};
    return {opening(cluster, opening_text(*with, asked.nodes), with->opened)};
  } else if (with) {
    return {};
  }
  return opening_is_not_enough(cluster, asked, *must, closed, now);
}

}  // namespace tessera::why
