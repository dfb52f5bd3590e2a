// A packing problem and its answer: which GPUs to change so that a demand of MIG slices is met at the least
// cost.
//
// Costs are compared in this order. In place: unmet demand, running instances evicted, GPUs whose instances
// change, nodes with such GPUs, idle instances destroyed, instances created. Whole node (a node is drained
// for a change): unmet, jobs that run on nodes that change, such nodes, evicted, GPUs, destroyed, created: to
// evict one of its instances, all of the node's work is sent away, so that what is evicted tells little.
// Demand is met by idle instances of exactly that profile, existing or created; what stays keeps its start.
// Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/mig/geometry.hpp"

namespace tessera::pack {

// No demand of a file, a flag, a queue or a rate asks for more instances of a profile.
inline constexpr int kMostWanted = 100'000'000;

enum class Mode : std::uint8_t { in_place, whole_node };

// The nodes that are not known to be closed to running work, were it moved.
struct Homes {
  std::shared_ptr<const std::set<NodeName>> nodes;  // nullptr: any of the problem
  friend bool operator==(const Homes& a, const Homes& b) {
    return a.nodes == b.nodes || (a.nodes && b.nodes && *a.nodes == *b.nodes);
  }
};

struct Instance {
  mig::Placed placed;
  bool held = false;   // a job or pod runs on it
  bool stays = false;  // held by what no plan moves, even where running work may be moved
  Homes homes = {};    // of what is held and may be moved
  friend bool operator==(const Instance&, const Instance&) = default;
};

struct Board {
  NodeName node;
  GpuIndex gpu;
  std::size_t product = 0;  // an index into Problem::products
  std::vector<Instance> instances;
  bool placed = true;          // false: nobody tells where they stand; here they are where they could
  bool resets_others = false;  // a change resets other GPUs of the node: it comes last
  bool whole = false;          // uncut and free: as it stands it serves a demand of whole GPUs
  bool may_be_whole = false;   // cut, and a plan may switch its MIG mode off where nothing runs on it
  bool whole_held = false;     // uncut, and what runs on it has no other GPU: it may be moved as an instance
  Homes homes = {};            // of what runs on it as a whole
  friend bool operator==(const Board&, const Board&) = default;
};

struct Demand {
  ProfileName profile;
  std::optional<std::size_t> product;  // nullopt: any product that has the profile
  int count = 0;
  std::optional<std::size_t> pool = std::nullopt;  // an index into Problem::pools; nullopt: any node serves
  friend bool operator==(const Demand&, const Demand&) = default;
};

// Idle instances that serve a demand and that no plan may touch: it is not known which of several they are,
// or they stand on a GPU that is left out.
struct Spare {
  NodeName node;
  ProfileName profile;
  const mig::Product* product = nullptr;  // nullptr: not known; it serves a demand without a product only
  int count = 0;
  friend bool operator==(const Spare&, const Spare&) = default;
};

// The jobs and pods that run on a node in all: on its instances, on GPUs that are whole or shared, and on
// those left out. Where it is not told whose a slice is, it counts as one.
struct Busy {
  NodeName node;
  int running = 0;
  friend bool operator==(const Busy&, const Busy&) = default;
};

// GPUs of a node that no plan may change.
struct PassedBy {
  NodeName node;
  const mig::Product* product = nullptr;
  int gpus = 0;
  friend bool operator==(const PassedBy&, const PassedBy&) = default;
};

struct Problem {
  Mode mode = Mode::in_place;
  bool evict = false;                         // running instances may be moved, where nothing else serves
  std::vector<const mig::Product*> products;  // of one catalogue, which must outlive this
  std::vector<Demand> demand;                 // a profile stands with products or without, never both
  std::vector<Board> boards;
  std::vector<Spare> spare;
  std::vector<Busy> busy;  // of a node that is not listed, each instance that its boards hold counts as one
  std::vector<PassedBy> passed_by;
  // The nodes on which a demand can be met, where these are not all.
  std::vector<std::set<NodeName>> pools;
};

// One GPU that changes. Its instances are keep, destroy and evict before, keep and create afterwards;
// to_whole: it is uncut afterwards; evicts_whole: it was uncut and in use.
struct BoardPlan {
  std::size_t board = 0;  // an index into Problem::boards
  mig::Layout keep, destroy, evict;
  std::vector<mig::Placed> create;  // in the order of creation
  bool to_whole = false;
  bool evicts_whole = false;  // what ran on the GPU as a whole is moved
};

// What no plan can be better than, and what is proved of this one.
struct Bounds {
  int slices = 0;        // GPUs, by memory and compute slices alone
  int empty_boards = 0;  // GPUs, if all of them were empty
  double lp = 0;         // GPUs, by the linear relaxation
  int gpus = 0;          // the best of these, or the optimum where the search ended
  int nodes = 0;
  int running = 0;              // jobs and pods on nodes that change (whole node)
  bool gpus_proven = false;     // no plan with this unmet demand and these evictions changes fewer GPUs
  bool nodes_proven = false;    // in place: nor fewer nodes with as few GPUs; whole node: nor fewer nodes
  bool running_proven = false;  // whole node: no plan with as little unmet disturbs fewer
  bool unmet_proven = false;    // no plan leaves less unmet
  bool rest_proven = false;     // nor is any of the costs that follow lower
};

struct Answer {
  std::vector<int> unmet;           // by Problem::demand; what is evicted and finds no place is in `homeless`
  std::vector<std::string> reason;  // by Problem::demand; empty: it is met
  int homeless = 0;
  int evicted = 0;
  int gpus_touched = 0;
  int nodes_touched = 0;
  int running_on_touched_nodes = 0;
  int idle_destroyed = 0;
  int created = 0;
  Bounds bounds;
  std::vector<std::size_t>
      binding;                    // demands that would change the number of GPUs, by the relaxation's prices
  std::vector<BoardPlan> boards;  // in the order of Problem::boards

  bool met() const;
};

// Asked again and again while a plan is searched for; true: give up. Empty: the search goes on to its end.
using Stop = std::function<bool()>;

// Mode's word in files: "in-place", "whole-node".
std::string_view word(Mode mode);

}  // namespace tessera::pack
