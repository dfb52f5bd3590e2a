#include "engine/plan/effect/resources.hpp"

#include <algorithm>

#include "engine/plan/effect/observed.hpp"
#include "engine/sharing/by_kubelet.hpp"
#include "engine/sharing/resources.hpp"
#include "engine/sharing/vgpu.hpp"

namespace tessera::plan {
namespace {

using sharing::BoardShape;
using sharing::NodeShape;
using sharing::ResourceKind;
using sharing::Sharing;

Sharing sharing_of(const BoardState& state) {
  Sharing how;
  how.replicas = std::max(1, state.replicas);
  how.method = state.strategy;
  if (state.strategy == Strategy::mig)
    how.method = how.replicas > 1 ? Strategy::time_slicing : Strategy::whole;
  if (state.strategy == Strategy::vgpu || state.strategy == Strategy::unknown) how.method = Strategy::whole;
  if (how.method == Strategy::whole) how.replicas = 1;
  return how;
}

void apply(BoardShape& board, const BoardState& state) {
  board.mig = state.mig;
  board.instances.clear();
  for (const InstanceAt& one : state.instances) board.instances.push_back(one.profile);
}

// Each GPU with its own way of sharing, gathered by it.
class Shapes {
 public:
  explicit Shapes(NodeShape node) : node_(std::move(node)) { node_.boards.clear(); }

  void add(BoardShape board, const Sharing& how) {
    auto same = std::find_if(shapes_.begin(), shapes_.end(),
                             [&](const NodeShape& shape) { return shape.sharing == how; });
    if (same == shapes_.end()) {
      same = shapes_.insert(shapes_.end(), node_);
      same->sharing = how;
    }
    same->boards.push_back(std::move(board));
  }
  std::vector<NodeShape> take() { return std::move(shapes_); }

 private:
  NodeShape node_;
  std::vector<NodeShape> shapes_;
};

const BoardChange* change_of(const Gpu& gpu, const std::vector<BoardChange>* changes) {
  if (changes)
    for (const BoardChange& one : *changes)
      if (one.gpu == gpu.index) return &one;
  return nullptr;
}

// The type of vGPU into which a GPU is divided; nullopt: into none. Kubernetes offers these instead of it.
std::optional<ProfileName> vgpu_board(const Gpu& gpu, const std::vector<BoardChange>* changes) {
  const BoardChange* change = change_of(gpu, changes);
  const BoardState state = change ? change->after : state_of(gpu);
  return state.strategy == Strategy::vgpu ? std::optional(state.vgpu) : std::nullopt;
}

// How many of a type one GPU holds, by the table; 0: it does not know.
int per_board(const Gpu& gpu, const ProfileName& type) {
  Result<std::vector<sharing::VgpuBoard>> table = sharing::built_in_vgpu_types();
  if (!table || !gpu.product) return 0;
  for (const sharing::VgpuType& one : sharing::vgpu_types(*table, *gpu.product, gpu.model))
    if (one.name == type) return one.per_board;
  return 0;
}

// only_changed: of the GPUs that change.
Counts vgpus(const Node& node, const std::vector<BoardChange>* changes, bool only_changed = false) {
  Counts counts;
  for (const Gpu& gpu : node.gpus) {
    if (only_changed && !change_of(gpu, changes)) continue;
    auto type = vgpu_board(gpu, changes);
    if (!type || type->empty()) continue;
    const auto stands = std::count_if(gpu.slices.begin(), gpu.slices.end(), [&](const Slice& slice) {
      return slice.kind == SliceKind::vgpu && slice.profile == *type;
    });
    counts[sharing::kubernetes_vgpu(type->text)] += stands > 0 ? stands : per_board(gpu, *type);
  }
  return counts;
}

std::vector<NodeShape> shapes(const Node& node, Scheduler scheduler, const mig::Catalogue& catalogue,
                              const std::vector<BoardChange>* changes, bool only_changed = false) {
  NodeShape now = sharing::of_node(node, scheduler, catalogue);
  Shapes all(now);
  for (std::size_t i = 0; i < now.boards.size(); ++i) {
    if (scheduler == Scheduler::kubernetes && i < node.gpus.size() && vgpu_board(node.gpus[i], changes))
      continue;
    if (i >= node.gpus.size()) {  // a Slurm pool
      if (only_changed) continue;
      all.add(std::move(now.boards[i]), {});
      continue;
    }
    const Gpu& gpu = node.gpus[i];
    if (only_changed && !change_of(gpu, changes)) continue;
    if (const BoardChange* change = change_of(gpu, changes)) {
      apply(now.boards[i], change->after);
      all.add(std::move(now.boards[i]), sharing_of(change->after));
    } else {
      all.add(std::move(now.boards[i]), sharing_of(state_of(gpu)));
    }
  }
  return all.take();
}

// All GPUs of a node, and the one strategy for them: what the site says, what the node tells, or what fits
// them together.
NodeShape whole_of(const Node& node, const std::vector<NodeShape>& shapes, const SiteRules& rules) {
  NodeShape together;
  for (const NodeShape& shape : shapes)
    together.boards.insert(together.boards.end(), shape.boards.begin(), shape.boards.end());
  std::optional<sharing::MigStrategy> told = rules.strategy ? rules.strategy : sharing::told_strategy(node);
  together.strategy = told.value_or(sharing::natural_strategy(together));
  return together;
}

Counts advertise_all(const Node& node, std::vector<NodeShape> shapes, Scheduler scheduler,
                     const SiteRules& rules) {
  const NodeShape whole = whole_of(node, shapes, rules);
  const sharing::MigStrategy strategy = whole.strategy;
  // The plugin looks at all GPUs together: under `single` one that does not fit takes the offer of all.
  if (scheduler == Scheduler::kubernetes && strategy == sharing::MigStrategy::single)
    if (sharing::Advertised judged = sharing::advertise(whole, scheduler); !judged.notes.empty())
      return std::move(judged.counts);
  Counts sum;
  for (NodeShape& shape : shapes) {
    shape.strategy = strategy;
    shape.sharing.rename = rules.rename_shared.value_or(false);
    for (const auto& [resource, count] : sharing::advertise(shape, scheduler).counts) sum[resource] += count;
  }
  return sum;
}

}  // namespace

std::vector<NodeShape> shapes_now(const Node& node, Scheduler scheduler, const mig::Catalogue& catalogue) {
  return shapes(node, scheduler, catalogue, nullptr);
}

std::vector<NodeShape> shapes_after(const Node& node, Scheduler scheduler, const mig::Catalogue& catalogue,
                                    const std::vector<BoardChange>& changes) {
  return shapes(node, scheduler, catalogue, &changes);
}

namespace {

// What claims can ask a DRA driver for there.
Counts claimable(const Node& node, const std::vector<BoardChange>* changes) {
  Counts counts;
  for (const Gpu& gpu : node.gpus) {
    const BoardChange* change = change_of(gpu, changes);
    const BoardState state = change ? change->after : state_of(gpu);
    if (!state.mig) ++counts[sharing::claimed_as({})];
    for (const InstanceAt& one : state.instances) ++counts[sharing::claimed_as(one.profile)];
  }
  return counts;
}

}  // namespace

Offered offered(const Node& node, const mig::Catalogue& catalogue, const SiteRules& rules,
                const std::vector<BoardChange>* changes) {
  std::vector<NodeShape> all = shapes(node, Scheduler::slurm, catalogue, changes);
  if (sharing::by_claims(node))
    return {advertise_all(node, all, Scheduler::slurm, rules), claimable(node, changes)};
  if (!changes && sharing::by_kubelet(node))
    return {advertise_all(node, all, Scheduler::slurm, rules), *node.allocatable};
  Offered counts{advertise_all(node, all, Scheduler::slurm, rules),
                 advertise_all(node, shapes(node, Scheduler::kubernetes, catalogue, changes),
                               Scheduler::kubernetes, rules)};
  for (const auto& [resource, count] : vgpus(node, changes)) counts.kubernetes[resource] += count;
  if (rules.offers_nothing)
    for (auto& [resource, count] : counts.kubernetes) count = 0;
  return counts;
}

Shares shares_after(const Node& node, const mig::Catalogue& catalogue, const SiteRules& rules,
                    const std::vector<BoardChange>& changes) {
  Shares shares;
  std::vector<NodeShape> all = shapes(node, Scheduler::kubernetes, catalogue, &changes);
  const sharing::MigStrategy strategy = whole_of(node, all, rules).strategy;
  for (NodeShape& shape : all) {
    const bool mps = shape.sharing.method == Strategy::mps;
    const bool in_shares =
        (mps || shape.sharing.method == Strategy::time_slicing) && shape.sharing.replicas > 1;
    if (!in_shares || shape.by_pool) continue;  // ACK's units are memory
    shape.strategy = strategy;
    shape.sharing.rename = rules.rename_shared.value_or(false);
    for (const auto& [resource, count] : sharing::advertise(shape, Scheduler::kubernetes).counts)
      if (count > 0) shares.names.insert(resource);
    shares.refuse_several = shares.refuse_several || rules.refuse_several.value_or(mps);
  }
  return shares;
}

BoardsOffer offered_by_boards(const Node& node, const mig::Catalogue& catalogue, Scheduler scheduler,
                              const SiteRules& rules, const std::vector<BoardChange>& changes) {
  BoardsOffer offer;
  const bool kubernetes = scheduler == Scheduler::kubernetes;
  if (kubernetes && sharing::by_claims(node)) {
    Node changed = node;
    std::erase_if(changed.gpus, [&](const Gpu& gpu) { return change_of(gpu, &changes) == nullptr; });
    return {claimable(changed, &changes), {}};
  }
  std::vector<NodeShape> all = shapes(node, scheduler, catalogue, &changes);
  NodeShape whole = whole_of(node, all, rules);
  if (kubernetes) {
    // The plugin looks at all GPUs of a node: one that does not fit takes the offer of every other.
    for (const NodeShape& shape : all)
      if (shape.sharing.method != Strategy::whole && whole.sharing.method == Strategy::whole)
        whole.sharing = shape.sharing;
    sharing::Advertised judged = sharing::advertise(whole, scheduler);
    if (!judged.notes.empty() && judged.counts == Counts{{sharing::kubernetes_gpu(), 0}})
      return {std::move(judged.counts), std::move(judged.notes)};
  }
  for (NodeShape& shape : shapes(node, scheduler, catalogue, &changes, true)) {
    shape.strategy = whole.strategy;
    shape.sharing.rename = rules.rename_shared.value_or(false);
    sharing::Advertised own = sharing::advertise(shape, scheduler);
    for (const auto& [resource, count] : own.counts) offer.counts[resource] += count;
    offer.notes.insert(offer.notes.end(), own.notes.begin(), own.notes.end());
  }
  if (kubernetes)
    for (const auto& [resource, count] : vgpus(node, &changes, true)) offer.counts[resource] += count;
  return offer;
}

void settle(Offered& before, Offered& after) {
  auto fill = [](Counts& left, Counts& right) {
    for (const auto& [resource, count] : left) right.try_emplace(resource, 0);
    for (const auto& [resource, count] : right) left.try_emplace(resource, 0);
  };
  fill(before.slurm, after.slurm);
  fill(before.kubernetes, after.kubernetes);
}

void add(Offered& sum, const Offered& more) {
  for (const auto& [resource, count] : more.slurm) sum.slurm[resource] += count;
  for (const auto& [resource, count] : more.kubernetes) sum.kubernetes[resource] += count;
}

std::int64_t gpu_units(const Counts& counts, Scheduler scheduler) {
  std::int64_t sum = 0;
  for (const auto& [resource, count] : counts) {
    auto name = sharing::parse_resource(resource, scheduler);
    if (name && (name->kind == ResourceKind::gpu ||
                 (name->kind == ResourceKind::instance && scheduler == Scheduler::slurm)))
      sum += count;
  }
  return sum;
}

bool answers(const std::string& requested, const std::string& offered, Scheduler scheduler) {
  if (requested == offered) return true;
  auto want = sharing::parse_resource(requested, scheduler);
  auto have = sharing::parse_resource(offered, scheduler);
  if (!want || !have) return false;
  if (*want == *have) return true;
  if (scheduler != Scheduler::slurm || want->kind != ResourceKind::gpu || !want->type.empty()) {
    // A type may be a part of the other's name: "3g.40gb" and "a100_3g.40gb".
    // A claim whose profile is not known may be for any.
    if (want->claimed != have->claimed) return false;
    return have->kind == ResourceKind::instance &&
           ((want->claimed && want->kind == ResourceKind::other_gpu) ||
            (want->kind == ResourceKind::instance && want->profile == have->profile &&
             want->shared == have->shared));
  }
  return have->kind == ResourceKind::gpu || have->kind == ResourceKind::instance;
}

}  // namespace tessera::plan
