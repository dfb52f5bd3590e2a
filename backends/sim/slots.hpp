// Slots: the places that a GPU offers to work, whole or cut, each with a number of shares.
// Threads: functions of values.
#pragma once

#include <map>
#include <string>

#include "backends/sim/world.hpp"

namespace tessera::sim {

struct Slot {
  std::int16_t instance = kWholeBoard;
  int resource = -1;  // index into ClusterSpec::resources
  int capacity = 1;
  int used = 0;
  int start = 0;
  SliceKind kind = SliceKind::whole_gpu;
};

SliceKind kind_of(const Board& board);
int capacity_of(const Board& board);
int shares(const std::vector<Hold>& holds);

// Kubernetes: NVIDIA's device plugin hands out its GPUs, as opposed to a DRA driver or ACK's own plugins.
bool has_plugin(const NodeGroup& group);
// What AMD's node labeller says of a node whose GPUs are AMD's.
std::map<std::string, std::string> amd_labels(const NodeGroup& group);

// What a slot of the GPU is asked for by; profile -1: the whole GPU. -1: by nothing.
int resource_of_slot(const NodeGroup& group, const NodeState& node, const Board& board, int profile);

// Calls visit(slot) for each slot of the GPU, in placement order; stops when it returns true.
template <class Visit>
bool each_slot(const NodeGroup& group, const NodeState& node, const Board& board, Visit visit) {
  SliceKind kind = kind_of(board);
  if (!board.cut()) {
    int resource = resource_of_slot(group, node, board, -1);
    return visit(Slot{kWholeBoard, resource, capacity_of(board), shares(board.holds), 0, kind});
  }
  for (const Instance& instance : board.instances) {
    int resource = resource_of_slot(group, node, board, instance.profile);
    if (visit(Slot{static_cast<std::int16_t>(instance.id), resource, capacity_of(board),
                   shares(instance.holds), instance.start, kind}))
      return true;
  }
  return false;
}

// Whether the slot is of the kind that the shape asks for.
bool answers(const Slot& slot, const Shape& shape);
// A job on this shape takes all its shares of one GPU (MPS and shards never span GPUs).
bool one_board(const Shape& shape);

std::vector<Hold>* holds_of(World& world, const Claim& claim);
int free_shares(const NodeGroup& group, const NodeState& node);
// How many of the shape's units an empty node would offer.
int capacity_for(const NodeGroup& group, const NodeState& node, const Shape& shape);

// Whether a claim counts as a GPU or an instance of its own (for limits per user).
bool is_exclusive(const World& world, const Claim& claim);

}  // namespace tessera::sim
