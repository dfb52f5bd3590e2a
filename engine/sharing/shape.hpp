// A node as sharing sees it: its GPUs, how they are cut, and how each part is handed out in turn.
//
// Built from what is observed (of_node) or from what is wanted, so that resources and rules answer for both.
// Threads: plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/model/values.hpp"

namespace tessera::sharing {

// How the Kubernetes device plugin names instances. A managed platform tells two kinds of "none" apart: with
// the operator installed, and with nothing installed at all.
enum class MigStrategy : std::uint8_t { none, single, mixed, none_with_operator };

struct BoardShape {
  const mig::Product* product = nullptr;  // nullptr: not known; a catalogue owns it
  bool mig = false;                       // MIG mode is on
  std::vector<ProfileName> instances;     // GPU instances, in any order
  std::string slurm_type;                 // GRES type of the whole GPU: "h100"; empty: untyped
};

// One way of sharing for a whole node: the device plugin knows no choice by GPU.
struct Sharing {
  Strategy method = Strategy::whole;  // whole (or mig): nothing replicated; mps, time_slicing, shard
  int replicas = 1;                   // clients of one GPU or instance; shards of one GPU
  bool rename = false;                // renameByDefault: nvidia.com/gpu.shared
  std::optional<bool> refuse_more;    // failRequestsGreaterThanOne; nullopt: the plugin's default
  std::vector<std::string> only;      // resources that are replicated; empty: all

  friend bool operator==(const Sharing&, const Sharing&) = default;
};

struct NodeShape {
  std::string name;
  std::string group;  // worker group, node pool or partition; empty: none
  std::vector<BoardShape> boards;
  MigStrategy strategy = MigStrategy::none;
  // How a managed platform classes the worker, where that is not how its instances are named; nullopt: alike.
  std::optional<MigStrategy> type = std::nullopt;
  Sharing sharing;
  std::string slurm_instance_prefix;  // "a100_" where a site's types read a100_3g.20gb
  std::string driver;                 // empty: not told
  bool by_pool = false;               // ACK's own plugin: shares are GiB of memory (ack.hpp)
};

// Names of the instances of a layout.
std::vector<ProfileName> instances_of(const mig::Product& product, const mig::Layout& layout);

// What is seen on a node now. GPUs of a Slurm pool, of which only the instances are known, become one
// GPU.
NodeShape of_node(const Node& node, Scheduler scheduler, const mig::Catalogue& catalogue);

// The strategy that fits what stands on the GPUs: none without MIG, single when every GPU has MIG on and
// all instances are of one profile, else mixed.
MigStrategy natural_strategy(const NodeShape& node);
// What the node's device plugin does, by the label nvidia.com/mig.strategy; nullopt: not told.
std::optional<MigStrategy> told_strategy(const Node& node);

// Whether an operator or a device plugin hands out the GPUs of a node, by what the node itself tells.
bool plugin_answers(const Node& node);
// How a managed platform classes a worker with these GPUs, all of them: by how they are cut and named, and
// whether something there hands out those that are not cut. Doctor, guide and plans judge by this one.
MigStrategy worker_type(const NodeShape& worker, bool answered);

std::string_view word(MigStrategy strategy);  // "none" "single" "mixed" "none with operator"
std::optional<MigStrategy> parse_strategy(std::string_view text);

}  // namespace tessera::sharing
