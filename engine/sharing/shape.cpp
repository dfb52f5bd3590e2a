#include "engine/sharing/shape.hpp"

#include <algorithm>
#include <array>

#include "engine/mig/product_of.hpp"
#include "engine/operators/labels.hpp"
#include "engine/sharing/ack.hpp"
#include "engine/sharing/by_kubelet.hpp"
#include "engine/sharing/platform.hpp"
#include "engine/sharing/shares.hpp"
#include "engine/text.hpp"

namespace tessera::sharing {

namespace {

constexpr std::array<std::string_view, 4> kStrategies{"none", "single", "mixed", "none with operator"};

// Slurm reports its GRES type as the model; other sources tell a product's full name.
std::string slurm_type(const Gpu& gpu, const mig::Product* product) {
  if (gpu.model.find(' ') == std::string::npos) return gpu.model;
  return product != nullptr && !product->slurm_types.empty() ? product->slurm_types.front() : std::string();
}

BoardShape of_gpu(const Gpu& gpu, const mig::Catalogue& catalogue) {
  BoardShape board;
  board.product = mig::product_of(gpu, catalogue);
  board.mig = gpu.mig_mode ? *gpu.mig_mode == MigMode::enabled || *gpu.mig_mode == MigMode::disable_pending
                           : gpu.strategy == Strategy::mig;
  board.slurm_type = slurm_type(gpu, board.product);
  for (const Slice& slice : gpu.slices) {
    if (slice.kind == SliceKind::gpu_instance && !slice.profile.empty())
      board.instances.push_back(slice.profile);
  }
  return board;
}

// The first way of sharing that is found: a node has one.
void add_sharing(Sharing& sharing, const Gpu& gpu) {
  const bool replicated = in_shares(gpu.strategy);
  if (sharing.method != Strategy::whole) return;
  if (replicated) sharing.method = gpu.strategy;
  if (gpu.replicas && *gpu.replicas > 1) {
    sharing.replicas = *gpu.replicas;
    // Replicas over instances are time-slices: the plugin has no other way on MIG.
    if (!replicated) sharing.method = Strategy::time_slicing;
  }
}

}  // namespace

std::vector<ProfileName> instances_of(const mig::Product& product, const mig::Layout& layout) {
  std::vector<ProfileName> names;
  names.reserve(layout.size());
  for (const mig::Placed& placed : layout) {
    names.push_back(product.profiles.at(static_cast<std::size_t>(placed.profile)).name);
  }
  return names;
}

NodeShape of_node(const Node& node, Scheduler scheduler, const mig::Catalogue& catalogue) {
  NodeShape shape;
  shape.name = node.name.text;
  shape.group = node.partitions.empty() ? std::string() : node.partitions.front();
  shape.driver = node.driver;
  for (const Gpu& gpu : node.gpus) {
    shape.boards.push_back(of_gpu(gpu, catalogue));
    add_sharing(shape.sharing, gpu);
  }
  BoardShape pool;
  for (const Slice& slice : node.pool) {
    if (slice.kind == SliceKind::gpu_instance) pool.instances.push_back(slice.profile);
  }
  if (!pool.instances.empty()) {
    pool.mig = true;
    pool.slurm_type = node.model;
    shape.boards.push_back(std::move(pool));
  }
  shape.by_pool = ack::decides(node);
  if (scheduler != Scheduler::kubernetes) return shape;
  shape.strategy = told_strategy(node).value_or(natural_strategy(shape));
  shape.type = worker_type(shape, plugin_answers(node));
  return shape;
}

MigStrategy natural_strategy(const NodeShape& node) {
  const ProfileName* first = nullptr;
  bool any = false, alike = true;
  for (const BoardShape& board : node.boards) {
    any = any || board.mig;
    alike = alike && board.mig && !board.instances.empty();
    for (const ProfileName& name : board.instances) {
      if (first == nullptr) first = &name;
      alike = alike && name == *first;
    }
  }
  if (!any) return MigStrategy::none;
  return alike ? MigStrategy::single : MigStrategy::mixed;
}

std::optional<MigStrategy> told_strategy(const Node& node) {
  const auto told = label(node, "nvidia.com/mig.strategy");
  return told ? parse_strategy(*told) : std::nullopt;
}

// The operator marks every node that it looks after, and an admin takes the plugin away by the same label.
bool plugin_answers(const Node& node) {
  if (const auto deploys = label(node, operators::kPluginDeploy)) return *deploys != "false";
  if (by_kubelet(node) && !node.allocatable->empty()) return true;
  return std::any_of(node.gpus.begin(), node.gpus.end(),
                     [](const Gpu& gpu) { return gpu.replicas.value_or(1) > 1; });
}

MigStrategy worker_type(const NodeShape& worker, bool answered) {
  const MigStrategy cut = natural_strategy(worker);
  if (cut == MigStrategy::none && answered) return MigStrategy::none_with_operator;
  // Slices of one profile are of the type mixed where the plugin gives each profile a name of its own.
  return cut == MigStrategy::single && worker.strategy == MigStrategy::mixed ? MigStrategy::mixed : cut;
}

std::string_view word(MigStrategy strategy) { return kStrategies[static_cast<std::size_t>(strategy)]; }

std::optional<MigStrategy> parse_strategy(std::string_view text) {
  std::string folded = lower(text);
  std::replace_if(
      folded.begin(), folded.end(), [](char c) { return c == '-' || c == '_'; }, ' ');
  const auto found = std::find(kStrategies.begin(), kStrategies.end(), folded);
  if (found == kStrategies.end()) return std::nullopt;
  return static_cast<MigStrategy>(found - kStrategies.begin());
}

}  // namespace tessera::sharing
