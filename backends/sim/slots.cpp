#include "backends/sim/slots.hpp"

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::sim {
namespace {

constexpr int kOffersNothing = -2;  // what no shape asks for

// Whether all GPUs can go by the name of a whole one: none is cut, or all into instances of one profile.
bool fits_single(const NodeState& node) {
  const Board& first = node.boards.front();
  const int profile = first.instances.empty() ? -1 : first.instances.front().profile;
  return std::all_of(node.boards.begin(), node.boards.end(), [&](const Board& board) {
    if (board.cut() != first.cut() || (board.cut() && board.instances.empty())) return false;
    return std::all_of(board.instances.begin(), board.instances.end(),
                       [&](const Instance& one) { return one.profile == profile; });
  });
}

}  // namespace

SliceKind kind_of(const Board& board) {
  if (board.cut()) return SliceKind::gpu_instance;
  switch (board.strategy) {
    case Strategy::mps: return SliceKind::mps;
    case Strategy::shard: return SliceKind::shard;
    case Strategy::time_slicing: return SliceKind::time_slice;
    default: return SliceKind::whole_gpu;
  }
}

int capacity_of(const Board& board) { return std::max(1, board.replicas); }

int shares(const std::vector<Hold>& holds) {
  int sum = 0;
  for (const Hold& hold : holds) sum += hold.share;
  return sum;
}

std::map<std::string, std::string> amd_labels(const NodeGroup& group) {
  std::string name = clean(group.model, 63), mode = clean(lower(group.partition), 16);
  std::replace(name.begin(), name.end(), ' ', '_');
  std::replace(mode.begin(), mode.end(), '/', '_');
  int parts = 1;
  for (const BoardPlan& plan : group.boards) parts = std::max(parts, plan.replicas);
  return {{"amd.com/gpu.product-name", name},
          {"amd.com/gpu.compute-memory-partition", mode},
          {"amd.com/gpu.compute-partitioning-supported", "true"},
          {"amd.com/gpu.driver-version", clean(group.driver, 63)},
          {"amd.com/gpu.vram", std::to_string(group.memory_mib / 1024 / parts) + "G"}};
}

bool has_plugin(const NodeGroup& group) {
  return group.plugin_names.gpu >= 0 && !group.claimed && group.ack.empty();
}

int resource_of_slot(const NodeGroup& group, const NodeState& node, const Board& board, int profile) {
  if (!node.offer && !has_plugin(group))
    return profile < 0 ? group.by_strategy[static_cast<std::size_t>(board.strategy)]
                       : group.by_profile[static_cast<std::size_t>(profile)];
  if (node.offer && node.offer->nothing) return kOffersNothing;
  const bool single = node.offer ? node.offer->single : group.mig_single;
  if (!node.offer && single && !fits_single(node)) return kOffersNothing;
  const NodeGroup::PluginNames& names = group.plugin_names;
  const bool shared = node.switches.renamed && board.replicas > 1;
  if (profile < 0 || single) return shared ? names.gpu_shared : names.gpu;
  return (shared ? names.instance_shared : names.instance)[static_cast<std::size_t>(profile)];
}

bool answers(const Slot& slot, const Shape& shape) {
  if (shape.resource >= 0) return slot.resource == shape.resource;
  if (slot.resource == kOffersNothing) return false;
  return slot.kind == SliceKind::whole_gpu || slot.kind == SliceKind::gpu_instance;
}

bool one_board(const Shape& shape) { return shape.family == Family::mps || shape.family == Family::shard; }

std::vector<Hold>* holds_of(World& world, const Claim& claim) {
  if (claim.node >= world.nodes.size()) return nullptr;
  NodeState& node = world.nodes[claim.node];
  if (claim.gpu >= node.boards.size()) return nullptr;
  Board& board = node.boards[claim.gpu];
  if (claim.instance == kWholeBoard) return board.cut() ? nullptr : &board.holds;
  Instance* instance = board.cut() ? board.find(claim.instance) : nullptr;
  return instance ? &instance->holds : nullptr;
}

int free_shares(const NodeGroup& group, const NodeState& node) {
  int free = 0;
  for (const Board& board : node.boards)
    each_slot(group, node, board, [&](const Slot& slot) {
      free += slot.capacity - slot.used;
      return false;
    });
  return free;
}

int capacity_for(const NodeGroup& group, const NodeState& node, const Shape& shape) {
  int sum = 0, most = 0;
  for (const Board& board : node.boards)
    each_slot(group, node, board, [&](const Slot& slot) {
      if (answers(slot, shape)) {
        sum += slot.capacity;
        most = std::max(most, slot.capacity);
      }
      return false;
    });
  return one_board(shape) ? most : sum;
}

bool is_exclusive(const World& world, const Claim& claim) {
  const Board& board = world.nodes[claim.node].boards[claim.gpu];
  return capacity_of(board) == 1;
}

}  // namespace tessera::sim
