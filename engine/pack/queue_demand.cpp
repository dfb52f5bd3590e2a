#include "engine/pack/queue_demand.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/mig/product_of.hpp"
#include "engine/number.hpp"
#include "engine/pack/cluster.hpp"
#include "engine/pack/whole.hpp"
#include "engine/plan/effect/queue.hpp"
#include "engine/plan/effect/slice_names.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::pack {
namespace {

// A Slurm job may name several partitions: "gpu,long".
bool is_of(const Workload& workload, const std::string& partition) {
  return partition.empty() || ("," + workload.group + ",").find("," + partition + ",") != std::string::npos;
}

// By which names nodes hand out uncut GPUs, and something else: instances (strategy single), shares.
struct Names {
  std::map<std::string, std::set<const mig::Product*>> whole;  // nullptr among them: of an unknown one
  std::set<std::string> parts;
  std::set<const mig::Product*> here;  // of all GPUs but AMD's, which no request that is counted gets
  bool amd = false;
};
Names names_in(const Cluster& cluster, const mig::Catalogue& catalogue) {
  Names names;
  std::vector<const mig::Product*> products;
  for (const Node& node : cluster.nodes.all()) {
    products.clear();
    for (const Gpu& gpu : node.gpus) products.push_back(mig::product_of(gpu, catalogue));
    for (std::size_t i = 0; i < node.gpus.size(); ++i)
      if (sharing::amd::is_amd(node.gpus[i]))
        names.amd = true;
      else
        names.here.insert(products[i]);
    plan::each_slice_name(cluster, node, catalogue,
                          [&](const Slice& slice, std::size_t board, const std::string& name) {
                            if (slice.kind != SliceKind::whole_gpu || slice.capacity != 1)
                              names.parts.insert(name);
                            else
                              names.whole[name].insert(board < products.size() ? products[board] : nullptr);
                          });
  }
  return names;
}

// A profile, or whole GPUs, of a product where one is told.
using Kind = std::pair<std::string, const mig::Product*>;
using Kinds = std::map<Kind, std::int64_t>;

// What may be counted as whole GPUs. The names of nodes are read once something asks for any.
class Whole {
 public:
  Whole(const Cluster& cluster, const mig::Catalogue* catalogue) : cluster_(cluster), catalogue_(catalogue) {}

  // nullopt: the request is for something else.
  std::optional<Kind> operator()(const Request& request, const sharing::ResourceName& name) {
    if (!catalogue_ || name.kind != sharing::ResourceKind::gpu || name.shared || name.claimed)
      return std::nullopt;
    if (sharing::amd::is_amd_model(name.type)) return std::nullopt;
    if (!names_) names_ = names_in(cluster_, *catalogue_);
    if (names_->parts.contains(request.resource)) return std::nullopt;
    if (cluster_.scheduler != Scheduler::kubernetes && name.type.empty() && may_be_another())
      return std::nullopt;
    const auto& products = products_of(request.resource, name.type);
    if (!products) return std::nullopt;
    const bool one = names_->here.size() > 1 && products->size() == 1;
    return Kind(kWhole, one ? *products->begin() : nullptr);
  }
  bool is_of_several() const { return names_ && names_->here.size() > 1; }

 private:
  using Products = std::set<const mig::Product*>;
  // Slurm serves a GPU without a type from whatever is called one.
  bool may_be_another() const {
    return names_->amd || std::any_of(names_->parts.begin(), names_->parts.end(), [](const std::string& one) {
             return one == "gpu" || one.starts_with("gpu:");
           });
  }
  // Those that are handed out by the name; where none is (all are cut), those of the type that are here.
  // Empty: it tells none. nullopt: it tells of others than are here.
  const std::optional<Products>& products_of(const std::string& resource, const std::string& type) {
    const auto [at, fresh] = products_.try_emplace(resource, Products());
    if (!fresh) return at->second;
    if (type.empty()) return at->second;
    if (const auto found = names_->whole.find(resource); found != names_->whole.end())
      return at->second = found->second, at->second;
    const auto meant = catalogue_->by_slurm_type(type, {});
    for (const mig::Product* one : meant)
      if (names_->here.contains(one)) at->second->insert(one);
    if (!meant.empty() && at->second->empty() && !names_->here.contains(nullptr)) at->second.reset();
    return at->second;
  }

  const Cluster& cluster_;
  const mig::Catalogue* catalogue_;
  std::optional<Names> names_;
  std::map<std::string, std::optional<Products>> products_;
};

// The slices and whole GPUs that it asks for, and by which names; empty: it asks for something else, too.
struct Wants {
  Kinds kinds;
  Naming naming = Naming::profiles;
};
Wants wants_of(const Workload& workload, Scheduler scheduler, Whole& whole) {
  Wants wants;
  bool claims = false, others = false;
  for (const Request& request : workload.requests) {
    if (request.count <= 0) continue;
    const auto name = sharing::parse_resource(request.resource, scheduler);
    if (!name) return {};
    (name->claimed ? claims : others) = true;
    if (const auto kind = whole(request, *name)) {
      wants.kinds[*kind] += request.count;
      continue;
    }
    if (name->kind != sharing::ResourceKind::instance || !name->profile || name->shared) return {};
    wants.kinds[{name->profile->text, nullptr}] += request.count;
  }
  if (claims && others) return {};
  if (claims) wants.naming = Naming::claims;
  return wants;
}

}  // namespace

QueueDemand demand_of_queue(const Cluster& cluster, const std::string& partition, const mig::Catalogue* whole,
                            const std::set<WorkloadId>* only, std::optional<Naming> naming) {
  QueueDemand found;
  Whole whole_gpu(cluster, whole);
  const Kind any(kWhole, nullptr);
  std::vector<std::pair<const Workload*, Wants>> asking;
  bool by_product = false, by_profiles = false, by_claims = false;
  for (const Workload& workload : cluster.workloads.all()) {
    if (workload.state != WorkloadState::pending || workload.requests.empty() || !is_of(workload, partition))
      continue;
    if (only && !only->contains(workload.id)) continue;
    if (!plan::waits_for_room(workload, cluster.scheduler)) {
      ++found.kept;
      continue;
    }
    asking.emplace_back(&workload, wants_of(workload, cluster.scheduler, whole_gpu));
    const Wants& wants = asking.back().second;
    for (const auto& [kind, count] : wants.kinds) by_product = by_product || kind.second;
    if (!wants.kinds.empty()) (wants.naming == Naming::claims ? by_claims : by_profiles) = true;
  }
  found.naming = naming.value_or(by_claims && !by_profiles ? Naming::claims : Naming::profiles);
  for (const auto& [workload, wants] : asking) {
    const Kinds& kinds = wants.kinds;
    if (!kinds.empty() && wants.naming != found.naming) {
      ++found.other_naming;
      continue;
    }
    // A demand stands with products or without: those of any would else take what the others need.
    if (kinds.empty() || (by_product && kinds.contains(any))) {
      ++found.other;
      continue;
    }
    QueueDemand::Waiting& one = found.waiting.emplace_back();
    one.id = workload->id, one.tasks = workload->tasks;
    for (const auto& [kind, count] : kinds)
      one.wants.push_back({ProfileName(kind.first), kind.second, count});
  }
  found.of_several = whole_gpu.is_of_several();
  sum_up(found);
  return found;
}

namespace {

int bounded(std::int64_t count) { return static_cast<int>(std::min<std::int64_t>(count, kMostWanted)); }

Kinds sums_of(const std::vector<QueueWaiting>& waiting) {
  Kinds sums;
  for (const QueueWaiting& one : waiting)
    for (const QueueWant& want : one.wants) {
      std::int64_t& sum = sums[{want.profile.text, want.product}];
      sum = add_times(sum, want.count, one.tasks);
    }
  return sums;
}

std::vector<Demand> demand_by(const Kinds& sums, std::vector<const mig::Product*>& products) {
  std::vector<Demand> demand;
  for (const auto& [kind, count] : sums) {
    Demand one{ProfileName(kind.first), std::nullopt, bounded(count)};
    if (kind.second) one.product = number_in(products, kind.second);
    demand.push_back(std::move(one));
  }
  return demand;
}

}  // namespace

void sum_up(QueueDemand& queue) {
  queue.ids.clear(), queue.products.clear();
  queue.workloads = static_cast<int>(queue.waiting.size());
  for (const QueueDemand::Waiting& one : queue.waiting) queue.ids.push_back(one.id);
  const Kinds sums = sums_of(queue.waiting);
  const auto any = sums.find(Kind(kWhole, nullptr));
  queue.of_any = queue.of_several && any != sums.end() ? bounded(any->second) : 0;
  queue.demand = demand_by(sums, queue.products);
  for (QueueGroup& group : queue.groups) group.demand = demand_by(sums_of(group.waiting), queue.products);
}

bool whole_is_one_kind(const Cluster& cluster, const mig::Catalogue& catalogue) {
  const Names names = names_in(cluster, catalogue);
  if (names.here.size() != 1 || !*names.here.begin()) return false;
  return std::none_of(names.parts.begin(), names.parts.end(), [&](const std::string& part) {
    const auto name = sharing::parse_resource(part, cluster.scheduler);
    return !name || name->kind == sharing::ResourceKind::gpu;
  });
}

std::string queue_text(const QueueDemand& queue) {
  if (queue.of_any > 0)
    return fmt::format(
        "the queue: {} jobs or pods ask for these slices or whole GPUs, {} for shares, GPUs whose type tells "
        "no "
        "product, or GPUs of AMD, {} wait for something else than room; whole GPUs that may be of any "
        "product: {}",
        queue.workloads, queue.other, queue.kept, queue.of_any);
  return fmt::format(
      "the queue: {} jobs or pods ask for these slices or whole GPUs, {} for shares, GPUs whose type tells "
      "no "
      "product, or GPUs of AMD, {} wait for something else than room",
      queue.workloads, queue.other, queue.kept);
}

std::string other_naming_text(const QueueDemand& queue) {
  if (queue.other_naming == 0) return "";
  if (queue.naming == Naming::claims)
    return fmt::format(
        "not counted: {} jobs or pods ask the device plugin, and not by claims; --node with nodes of that "
        "plugin plans for them",
        queue.other_naming);
  return fmt::format(
      "not counted: {} jobs or pods ask by claims of a DRA driver; --node with nodes of that driver plans "
      "for "
      "them",
      queue.other_naming);
}

namespace {

std::vector<Demand> in_terms_of(Problem& problem, std::vector<Demand> demand,
                                const std::vector<const mig::Product*>& products) {
  for (Demand& one : demand)
    if (one.product) one.product = number_in(problem.products, products[*one.product]);
  return demand;
}

}  // namespace

std::vector<Demand> sums_in(Problem& problem, const QueueDemand& queue) {
  return in_terms_of(problem, queue.demand, queue.products);
}

std::vector<Demand> demand_in(Problem& problem, const QueueDemand& queue) {
  if (queue.groups.empty()) return sums_in(problem, queue);
  std::vector<Demand> demand;
  for (const QueueGroup& group : queue.groups) {
    for (Demand& one : in_terms_of(problem, group.demand, queue.products)) {
      one.pool = problem.pools.size();
      demand.push_back(std::move(one));
    }
    problem.pools.push_back(group.nodes);
  }
  return demand;
}

}  // namespace tessera::pack
