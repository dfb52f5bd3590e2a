// Node by node: the first condition of a start that fails there, in the order in which a scheduler tries
// them.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/insight/available.hpp"
#include "engine/insight/mps_in_use.hpp"
#include "engine/insight/on_demand.hpp"
#include "engine/mig/edit.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/model/counts_text.hpp"
#include "engine/model/health_words.hpp"
#include "engine/plan/effect/resources.hpp"
#include "engine/query/value.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/slices_offered.hpp"
#include "engine/text.hpp"
#include "engine/why/machine.hpp"
#include "engine/why/may_use.hpp"
#include "engine/why/reserved.hpp"
#include "engine/why/why.hpp"

namespace tessera::why {
namespace {

Source nodes_source(const Node& node) { return node.origin.source; }

std::optional<Candidates> failed(Topic topic, std::string text, Source source,
                                 Certainty certainty = Certainty::certain) {
  Candidates answer;
  answer.topic = topic;
  answer.what = {std::move(text), certainty, source};
  return answer;
}

std::optional<Candidates> wrong_partition(const Cluster& cluster, const Node& node,
                                          const Workload& workload) {
  if (!in_its_partition(node, workload, cluster.scheduler))
    return failed(Topic::partition, fmt::format("not in its partition, {}", workload.group),
                  nodes_source(node));
  if (cluster.scheduler != Scheduler::slurm) return std::nullopt;
  if (const Partition* one = closed_to_it(cluster, workload, &node))
    return failed(Topic::partition,
                  fmt::format("the partition {} is {} and starts no job", one->name, one->state),
                  Source::slurm_partitions);
  return std::nullopt;
}

std::string because(const Node& node) {
  if (node.reason.empty()) return {};
  return ": " + clean(node.reason, 200);
}

std::optional<Candidates> closed(const Cluster& cluster, const Node& node) {
  if (!insight::nodes_are_current(cluster))
    return failed(Topic::node, "not known: the list of nodes is not current", nodes_source(node),
                  Certainty::unknown);
  switch (node.health) {
    case Health::draining:
    case Health::drained:
      return failed(Topic::node, std::string(health_word(node.health, cluster.scheduler)) + because(node),
                    nodes_source(node));
    case Health::down: return failed(Topic::node, "down" + because(node), nodes_source(node));
    case Health::invalid:
      return failed(Topic::node, "registered with less than is configured" + because(node),
                    nodes_source(node));
    case Health::unknown:
      return failed(Topic::node, "the node's state is not known", nodes_source(node), Certainty::unknown);
    case Health::ok: break;
  }
  // The job does not name it, or it is not told which it is.
  if (auto reserved = insight::reserved_words(node); !reserved.empty())
    return failed(Topic::reservation, std::move(reserved), nodes_source(node), Certainty::likely);
  if (insight::sight_of(cluster, node).access == insight::Access::closed)
    return failed(Topic::node, "closed to new work by its state or its partitions", nodes_source(node));
  return std::nullopt;
}

std::optional<Candidates> reserved(const Node& node, const Reserved& reservations) {
  const auto against = reservations.against(node);
  if (!against) return std::nullopt;
  return failed(Topic::reservation, against->text,
                node.reservation.empty() ? Source::slurm_reservations : nodes_source(node),
                against->known ? Certainty::likely : Certainty::unknown);
}

std::optional<Candidates> not_named(const Node& node, const Workload& workload, const Named& named) {
  if (!workload.needs) return std::nullopt;
  const Source source = workload.origin.source;
  if (!named.asks_for(node))
    return failed(Topic::selector, fmt::format("it asks for other nodes: {}", workload.needs->nodes), source);
  if (named.excluded.contains(node.name.text))
    return failed(Topic::selector, fmt::format("it excludes nodes: {}", workload.needs->excluded), source);
  if (!named.has_features(node))
    return failed(Topic::selector, fmt::format("its features are not {}", workload.needs->features), source);
  return std::nullopt;
}

// Enough for certain is not there, and what it takes of a node at the least is.
std::optional<Candidates> machine_in_doubt(const Node& node, const Machine& machine,
                                           const MachineNeed& enough) {
  const bool cpus = machine.lacks(enough) == Lack::cpus;
  return failed(Topic::room,
                cpus
                    ? fmt::format("{} of {} CPUs are free: {} would be enough, fewer only with more on other "
                                  "nodes",
                                  *machine.cpus(), *node.cpus, enough.cpus)
                    : fmt::format("{} of {} MiB of memory are free: {} would be enough, less only with more "
                                  "on other nodes",
                                  *machine.memory(), node.memory->value, enough.memory),
                nodes_source(node), Certainty::unknown);
}

// Of Kubernetes the requests of pods without a GPU are not read: what is free is that at most.
std::string short_of_cpus(Scheduler scheduler, std::int64_t free, int all, std::int64_t asks) {
  return scheduler == Scheduler::kubernetes
             ? fmt::format("it asks for {} CPUs, and at most {} of {} are not requested by others", asks,
                           free, all)
             : fmt::format("{} of {} CPUs are free, and it asks for {}", free, all, asks);
}

std::string short_of_memory(Scheduler scheduler, std::int64_t free, std::int64_t all, std::int64_t asks) {
  return scheduler == Scheduler::kubernetes
             ? fmt::format(
                   "it asks for {} MiB of memory, and at most {} of {} MiB are not requested by others", asks,
                   free, all)
             : fmt::format("{} of {} MiB of memory are free, and it asks for {}", free, all, asks);
}

// CPUs and memory of a node against the job's part of them.
std::optional<Candidates> no_machine(const Cluster& cluster, const Node& node, const Workload& workload) {
  const MachineNeeds needs = machine_needs(cluster, workload);
  const Machine machine(node);
  switch (machine.lacks(needs.least)) {
    case Lack::nothing: break;
    case Lack::node_to_itself:
      return failed(Topic::room,
                    fmt::format("it wants a node to itself, and {} CPUs are held here", *node.cpus_held),
                    nodes_source(node));
    case Lack::cpus:
      return failed(Topic::room,
                    short_of_cpus(cluster.scheduler, *machine.cpus(), *node.cpus, needs.least.cpus),
                    nodes_source(node));
    case Lack::memory:
      return failed(
          Topic::room,
          short_of_memory(cluster.scheduler, *machine.memory(), node.memory->value, needs.least.memory),
          nodes_source(node));
  }
  if (machine.has(needs.enough)) return std::nullopt;
  return machine_in_doubt(node, machine, needs.enough);
}

// Whether the CPUs and the memory that it asks for were compared. Of a node of Kubernetes only what is free
// at most is known.
bool machine_is_known(const Cluster& cluster, const Node& node, const Workload& workload) {
  return cluster.scheduler == Scheduler::slurm && workload.needs &&
         !machine_needs(cluster, workload).shares_cpus && workload.needs->cpus && node.cpus &&
         node.cpus_held && workload.needs->memory && node.memory && node.memory_held;
}

std::string fit_text(const Cluster& cluster, const Node& node, const Workload& workload, bool gpus) {
  if (machine_is_known(cluster, node, workload))
    return gpus ? "the GPUs, CPUs and memory that it asks for are free"
                : "the CPUs and memory that it asks for are free";
  return gpus ? "the GPUs that it asks for are free; whether its CPUs and memory fit is not known"
              : "open; whether its CPUs and memory fit is not known";
}

// On how much of a node's CPUs and memory pods have a claim is asked for one pod alone: until then a message
// that some nodes are short of them may mean this one.
std::optional<Candidates> may_be_short(const Cluster& cluster, const Workload& workload, const Site& site) {
  if (!is_short_of_machine(workload, cluster.scheduler) || is_asked(site.details)) return std::nullopt;
  const bool gpus = !asked_of(workload, cluster.scheduler).each.empty();
  return failed(Topic::room,
                gpus ? "the GPUs that it asks for are free; the scheduler reports too few CPUs or too little "
                       "memory on some nodes, and not on which"
                     : "open; the scheduler reports too few CPUs or too little memory on some nodes, and not "
                       "on which",
                workload.origin.source, Certainty::unknown);
}

using By = AgainstNode::By;

Topic topic_of(By by) {
  switch (by) {
    case By::name:
    case By::selector:
    case By::affinity:
    case By::spread:
    case By::apart:
    case By::beside: return Topic::selector;
    case By::taint: return Topic::taint;
    case By::all_cpus:
    case By::all_memory: return Topic::request;
    case By::cpus:
    case By::memory:
    case By::ports:
    case By::pods: break;
  }
  return Topic::room;
}

// What was asked for the pod alone is as it was then: a taint may be gone since.
bool still_stands(const AgainstNode& one, const Node& node) {
  return one.by != By::taint ||
         std::find(node.taints.begin(), node.taints.end(), one.subject) != node.taints.end();
}

std::optional<Candidates> failed_by(const AgainstNode& one) {
  auto answer =
      failed(topic_of(one.by), one.text, Source::none, one.certain ? Certainty::certain : Certainty::unknown);
  answer->what.by = word(Teller::pod);
  return answer;
}

// The first of these conditions that fails there for certain.
std::optional<Candidates> told_against(const Site& site, const Node& node, By first, By last) {
  for (const AgainstNode& one : told_of(site.against, node.name))
    if (one.certain && one.by >= first && one.by <= last && still_stands(one, node)) return failed_by(one);
  return std::nullopt;
}

// What decides is not known: said where nothing else fails.
std::optional<Candidates> in_doubt(const Site& site, const Node& node) {
  for (const AgainstNode& one : told_of(site.against, node.name))
    if (!one.certain && still_stands(one, node)) return failed_by(one);
  return std::nullopt;
}

std::optional<Candidates> repelled(const Node& node, const Workload& workload, const Site& site) {
  for (const std::string& taint : node.taints)
    if (names_taint(workload.reason, taint))
      return failed(Topic::taint,
                    fmt::format("the taint {} keeps it away, and it does not tolerate it", taint),
                    Source::kubernetes_nodes);
  return told_against(site, node, By::taint, By::taint);
}

// What the node has of everything that answers a request.
std::int64_t units_for(const plan::Counts& units, const Request& want, Scheduler scheduler) {
  std::int64_t sum = 0;
  for (const auto& [name, count] : units)
    if (plan::answers(want.resource, name, scheduler)) sum += std::max<std::int64_t>(0, count);
  return sum;
}

// Of a node's GPUs: "no room for 3g.40gb on GPU 0: 1g.10gb@4 (job 12) is in the way".
std::string geometry(const Cluster& cluster, const Node& node, const ProfileName& profile,
                     const mig::Catalogue& catalogue) {
  const insight::Sight sight = insight::sight_of(cluster, node);
  std::string first_full;  // a GPU that could be cut is the better answer
  for (const Gpu& gpu : node.gpus) {
    const mig::Product* product = mig::product_of(gpu, catalogue);
    const auto index = product ? product->index_of(profile.text) : std::nullopt;
    if (!index || !mig::observed_layout(*product, gpu)) continue;
    mig::Layout held;
    std::vector<std::string> names;
    for (const Slice& slice : gpu.slices) {
      if (insight::availability(sight, slice) != insight::Availability::held || !slice.placement) continue;
      const auto kind = product->index_of(slice.profile.text);
      if (!kind) continue;
      held.push_back({*kind, slice.placement->start});
      names.push_back(slice.holders.empty() ? std::string() : slice.holders.front().workload.text);
    }
    const auto obstacle = mig::obstacle(*product, held, *index, 0);
    if (!obstacle)
      return fmt::format("GPU {} could be cut for it: no job or pod is in the way", gpu.index.value);
    if (obstacle->in_way.empty() || !first_full.empty()) continue;
    const std::size_t first = obstacle->in_way.front();
    const std::string what =
        fmt::format("{}@{}", product->profiles[static_cast<std::size_t>(held[first].profile)].name.text,
                    held[first].start);
    first_full = names[first].empty()
                     ? fmt::format("GPU {} has no room for it: {} is in the way", gpu.index.value, what)
                     : fmt::format("GPU {} has no room for it: {} is in the way, held by {}", gpu.index.value,
                                   what, names[first]);
  }
  return first_full;
}

// Why a re-cut makes none of what is asked for by profile there; empty: it may.
std::string offers_no_slices(const Node& node, const sharing::ResourceName& name) {
  if (name.kind != sharing::ResourceKind::instance || name.claimed) return "";
  const auto strategy = sharing::offers_no_profiles(node);
  if (!strategy) return "";
  return *strategy == sharing::MigStrategy::single
             ? "its device plugin offers slices as nvidia.com/gpu, by its strategy single"
             : "its device plugin offers no slices, by its strategy none";
}

// What a DRA driver with dynamic MIG would make of a node's GPUs for a claim, beside what stands.
std::int64_t made_on_demand(const Node& node, const Request& want, const mig::Catalogue& catalogue) {
  const auto name = sharing::parse_resource(want.resource, Scheduler::kubernetes);
  if (!name || !name->claimed || !name->profile) return 0;
  std::int64_t sum = 0;
  for (const Gpu& gpu : node.gpus)
    if (const auto all = insight::could_be(node, gpu, catalogue)) {
      const mig::Product& product = *catalogue.by_key(gpu.product->text);
      for (const mig::CouldBe& one : *all)
        if (product.profiles[static_cast<std::size_t>(one.profile)].name == *name->profile)
          sum += one.together;
    }
  return sum;
}

// Shares on one GPU of a node. Not exact: who holds those of a GPU is not known, and there may be more.
struct Shares {
  int known = 0;
  bool exact = true;
  void see(std::optional<int> free) {
    known = std::max(known, free.value_or(0));
    exact = exact && free.has_value();
  }
};

// Slurm hands out the MPS of a node from one GPU at a time (gres.conf: one_sharing, which is the default for
// MPS): while one is in use the others have nothing for a job. nullopt: none is in use, several are (so that
// gres.conf says all_sharing), or it is not MPS.
std::optional<Shares> left_on_gpu_in_use(const Cluster& cluster, const Node& node, const Request& want) {
  const auto name = sharing::parse_resource(want.resource, cluster.scheduler);
  if (cluster.scheduler != Scheduler::slurm || !name || name->kind != sharing::ResourceKind::mps)
    return std::nullopt;
  const insight::Sight sight = insight::sight_of(cluster, node);
  const std::vector<const Gpu*> in_use = insight::gpus_whose_mps_is_in_use(cluster, node);
  if (in_use.size() != 1) return std::nullopt;
  Shares left;
  for (const Slice& slice : in_use.front()->slices)
    if (slice.kind == SliceKind::mps)
      left.see(slice.holders.empty() ? std::nullopt : insight::available(sight, slice));
  return left;
}

// What the GPU whose MPS is in use has not left for this request; nullopt: it has enough, or none is in use.
std::optional<Candidates> no_mps_left(const Cluster& cluster, const Node& node, const Request& want) {
  const auto left = left_on_gpu_in_use(cluster, node, want);
  if (!left || left->known >= want.count) return std::nullopt;
  return left->exact
             ? failed(Topic::room,
                      fmt::format("the GPU whose MPS is in use has {} × {} left, and it asks for {}: Slurm "
                                  "hands out MPS from one GPU of a node at a time, unless all_sharing is "
                                  "set in gres.conf",
                                  left->known, want.resource, want.count),
                      nodes_source(node), Certainty::likely)
             : failed(Topic::room,
                      fmt::format("how much of the GPU whose MPS is in use is left is not known, and it "
                                  "asks for {} × {}: Slurm hands out MPS from one GPU of a node at a "
                                  "time, unless all_sharing is set in gres.conf",
                                  want.count, want.resource),
                      nodes_source(node), Certainty::unknown);
}

std::optional<Candidates> no_room(const Cluster& cluster, const Node& node, const Workload& workload,
                                  const Site& site) {
  const Asked asked = asked_of(workload, cluster.scheduler);
  const plan::Stock stock = stock_now(cluster, node, *site.catalogue);
  for (const Request& want : asked.each) {
    const std::int64_t made = made_on_demand(node, want, *site.catalogue);
    const std::int64_t all = units_for(stock.all.units, want, cluster.scheduler) + made;
    const std::int64_t free = units_for(stock.free.units, want, cluster.scheduler) + made;
    const auto name = sharing::parse_resource(want.resource, cluster.scheduler);
    std::string shape;
    const std::string never = name ? offers_no_slices(node, *name) : "";
    if (free < want.count && name && name->profile && never.empty())
      shape = geometry(cluster, node, *name->profile, *site.catalogue);
    if (all < want.count) {
      const std::string there = counts_text(stock.all.units);
      std::string text = there.empty()
                             ? fmt::format("offers no {}", want.resource)
                             : fmt::format("offers {} of {}, and has {}", all, want.resource, there);
      if (!shape.empty()) text += "; " + shape;
      if (!never.empty()) text += "; " + never;
      return failed(shape.empty() ? Topic::request : Topic::room, std::move(text), nodes_source(node));
    }
    if (free >= want.count) continue;
    if (auto none = no_mps_left(cluster, node, want)) return none;
    const insight::Sight sight = insight::sight_of(cluster, node);
    if (!sight.work_read || !node.counts.known())
      return failed(
          Topic::room,
          fmt::format(
              "at least {} of {} × {} are free, and it asks for {}: who holds the others is not known", free,
              all, want.resource, want.count),
          nodes_source(node), Certainty::unknown);
    std::string text =
        fmt::format("{} of {} × {} are free, and it asks for {}", free, all, want.resource, want.count);
    if (!shape.empty()) text += "; " + shape;
    return failed(Topic::room, std::move(text), nodes_source(node));
  }
  return std::nullopt;
}

// The shares that are free on the GPU with the most of them: Slurm takes a job's MPS or shards of a node from
// one GPU. nullopt: the request is not for such shares.
std::optional<Shares> most_on_one_gpu(const Cluster& cluster, const Node& node, const Request& want) {
  if (cluster.scheduler != Scheduler::slurm) return std::nullopt;
  const auto name = sharing::parse_resource(want.resource, cluster.scheduler);
  const bool mps = name && name->kind == sharing::ResourceKind::mps;
  if (!mps && (!name || name->kind != sharing::ResourceKind::shard)) return std::nullopt;
  const insight::Sight sight = insight::sight_of(cluster, node);
  Shares most;
  const auto look = [&](const Slice& slice) {
    const bool shards = slice.kind == SliceKind::shard || slice.kind == SliceKind::time_slice;
    if (mps ? slice.kind == SliceKind::mps : shards) most.see(insight::available(sight, slice));
  };
  for (const Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), look);
  std::for_each(node.pool.begin(), node.pool.end(), look);
  return most;
}

std::optional<Candidates> scattered(const Cluster& cluster, const Node& node, const Workload& workload) {
  for (const Request& want : asked_of(workload, cluster.scheduler).each) {
    const auto most = most_on_one_gpu(cluster, node, want);
    if (most && most->known < want.count && node.open_kinds.empty())
      return most->exact
                 ? failed(
                       Topic::room,
                       fmt::format("no single GPU has {} × {} free: the most on one is {}, and Slurm takes "
                                   "them from one GPU",
                                   want.count, want.resource, most->known),
                       nodes_source(node))
                 : failed(Topic::room,
                          fmt::format("no single GPU is known to have {} × {} free: who holds those of some "
                                      "is not known, and Slurm takes them from one GPU",
                                      want.count, want.resource),
                          nodes_source(node), Certainty::unknown);
    if (auto none = no_mps_left(cluster, node, want)) return none;
  }
  return std::nullopt;
}

int rank(const Candidates& one) {
  if (one.fits) return 0;
  switch (one.topic) {
    case Topic::room: return 1;
    case Topic::reservation: return 2;
    case Topic::node: return 3;
    case Topic::taint: return 4;
    case Topic::request:
    case Topic::selector: return 5;
    default: return 6;
  }
}

// Slices of which only the number that is free is known, dealt out as if it were known which.
void settle(Node& node) {
  for (const UnheldKind& open : node.open_kinds) {
    int units = open.units;
    const auto deal = [&](Slice& slice) {
      if (slice.kind != open.kind || slice.profile != open.profile || slice.capacity != open.capacity) return;
      if (slice.holding != Holding::unknown && slice.usable) return;
      slice.holders.clear();
      slice.usable = true;
      slice.holding = units >= slice.capacity ? Holding::free : Holding::held;
      slice.told_held = slice.holding == Holding::held;
      units -= slice.holding == Holding::free ? slice.capacity : 0;
    };
    for (Gpu& gpu : node.gpus) std::for_each(gpu.slices.begin(), gpu.slices.end(), deal);
    std::for_each(node.pool.begin(), node.pool.end(), deal);
  }
}

}  // namespace

bool in_its_partition(const Node& node, const Workload& workload, Scheduler scheduler) {
  if (scheduler != Scheduler::slurm || node.partitions.empty() || workload.group.empty()) return true;
  const std::string wanted = "," + workload.group + ",";
  return std::any_of(node.partitions.begin(), node.partitions.end(), [&](const std::string& name) {
    return wanted.find("," + name + ",") != std::string::npos;
  });
}

Asked asked_of(const Workload& workload, Scheduler scheduler) {
  Asked asked;
  if (scheduler == Scheduler::slurm) asked.nodes = std::max(1, workload.node_count);
  for (const Request& request : workload.requests) {
    if (request.count <= 0 || !sharing::parse_resource(request.resource, scheduler)) continue;
    asked.each.push_back(request);
    asked.each.back().count = (request.count + asked.nodes - 1) / asked.nodes;
  }
  return asked;
}

plan::Stock stock_now(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue) {
  if (node.open_kinds.empty()) return plan::stock_of(cluster, node, catalogue);
  Node settled = node;
  settle(settled);
  return plan::stock_of(cluster, settled, catalogue);
}

bool serves(const plan::Counts& units, const Asked& asked, Scheduler scheduler) {
  return std::all_of(asked.each.begin(), asked.each.end(),
                     [&](const Request& want) { return units_for(units, want, scheduler) >= want.count; });
}

namespace {

// Calls look with the reservations of this work, read once where explain() or look_at_all() has.
template <class Look>
auto with_reservations(const Cluster& cluster, const Workload& workload, const Site& site, Look look) {
  if (site.reserved && site.reserved->is_of(workload)) return look(*site.reserved);
  return look(Reserved(cluster, workload, site.wall));
}

Candidates look(const Cluster& cluster, const Node& listed, const Workload& workload, const Site& site,
                const Named& named, const Reserved& reservations) {
  // A node in its own reservation is closed to others alone.
  const std::optional<Node> own = reservations.as_its_own(listed);
  const Node& node = own ? *own : listed;
  auto answer = wrong_partition(cluster, node, workload);
  if (!answer) answer = not_named(node, workload, named);
  if (!answer && insight::nodes_are_current(cluster))
    answer = told_against(site, node, By::name, By::affinity);
  if (!answer) answer = closed(cluster, node);
  if (!answer) answer = repelled(node, workload, site);
  // More than the node has at all is so however many GPUs become free.
  if (!answer) answer = told_against(site, node, By::all_cpus, By::all_cpus);
  if (!answer) answer = told_against(site, node, By::all_memory, By::all_memory);
  // However many GPUs are free, the pods there do not let it start.
  if (!answer) answer = told_against(site, node, By::ports, By::beside);
  if (!answer) answer = no_room(cluster, node, workload, site);
  if (!answer) answer = scattered(cluster, node, workload);
  // What was asked for this pod alone is told to the part of a CPU.
  if (!answer) answer = told_against(site, node, By::all_cpus, By::memory);
  if (!answer) answer = no_machine(cluster, node, workload);
  if (!answer) answer = reserved(listed, reservations);
  if (!answer) answer = in_doubt(site, node);
  if (!answer) answer = may_be_short(cluster, workload, site);
  if (!answer) {
    answer.emplace();
    answer->fits = true;
    answer->topic = Topic::unknown;
    const bool gpus = !asked_of(workload, cluster.scheduler).each.empty();
    answer->what = {fit_text(cluster, node, workload, gpus), Certainty::likely, nodes_source(node)};
  }
  answer->nodes = {node.name};
  return *answer;
}

}  // namespace

bool only_gpus_may_fail(const Cluster& cluster, const Node& node, const Workload& workload,
                        const Site& site) {
  const bool kept = with_reservations(cluster, workload, site, [&](const Reserved& reservations) {
    return reservations.against(node).has_value();
  });
  return !no_machine(cluster, node, workload) && !kept &&
         !told_against(site, node, By::all_cpus, By::beside) && !in_doubt(site, node) &&
         !may_be_short(cluster, workload, site);
}

Candidates look_at(const Cluster& cluster, const Node& node, const Workload& workload, const Site& site) {
  return with_reservations(cluster, workload, site, [&](const Reserved& reservations) {
    return look(cluster, node, workload, site, named_by(workload), reservations);
  });
}

std::vector<Candidates> look_at_all(const Cluster& cluster, const Workload& workload, const Site& site) {
  const Reserved reservations(cluster, workload, site.wall);
  std::map<std::string, Candidates> by_answer;
  const Named named = named_by(workload);
  for (const Node& node : cluster.nodes.all()) {
    Candidates one = look(cluster, node, workload, site, named, reservations);
    auto [place, fresh] = by_answer.try_emplace(one.what.text, one);
    if (!fresh) place->second.nodes.push_back(node.name);
  }
  std::vector<Candidates> all;
  for (auto& [text, one] : by_answer) {
    std::sort(one.nodes.begin(), one.nodes.end(), [](const NodeName& a, const NodeName& b) {
      return query::natural_compare(a.text, b.text) < 0;
    });
    all.push_back(std::move(one));
  }
  std::stable_sort(all.begin(), all.end(), [](const Candidates& a, const Candidates& b) {
    return std::tuple(rank(a), b.nodes.size()) < std::tuple(rank(b), a.nodes.size());
  });
  return all;
}

}  // namespace tessera::why
