// What must be so before a step, and what is expected after it: predicates over fresh facts of one node.
//
// Two equal conditions mean the same, so that a step whose precondition has stopped to hold finds the earlier
// step that provides it.
// Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/plan/action.hpp"
#include "engine/plan/facts.hpp"

namespace tessera::plan {

// Part of a node. No GPUs: the whole node, work without GPUs included. GPUs without instances: all of
// them.
struct Scope {
  struct Board {
    GpuIndex gpu;
    std::vector<Placement> slices;  // empty: the whole GPU
    friend bool operator==(const Board&, const Board&) = default;
  };
  std::vector<Board> boards;
  friend bool operator==(const Scope&, const Scope&) = default;
};

struct Answering {  // known to the cluster, up
  friend bool operator==(Answering, Answering) = default;
};
struct MarkIsOurs {
  friend bool operator==(MarkIsOurs, MarkIsOurs) = default;
};
struct NoForeignMark {  // no mark, or ours
  friend bool operator==(NoForeignMark, NoForeignMark) = default;
};
struct NotMarkedByUs {
  friend bool operator==(NotMarkedByUs, NotMarkedByUs) = default;
};
struct NodeClosed {  // by us or by anyone
  friend bool operator==(NodeClosed, NodeClosed) = default;
};
struct NotClosedByUs {  // open, or closed by someone else
  friend bool operator==(NotClosedByUs, NotClosedByUs) = default;
};
// Nobody runs, completes or holds anything there, clients unknown to the scheduler included.
struct ScopeEmpty {
  Scope scope;
  friend bool operator==(const ScopeEmpty&, const ScopeEmpty&) = default;
};
struct WorkloadAway {
  WorkloadId workload;
  friend bool operator==(const WorkloadAway&, const WorkloadAway&) = default;
};
// These instances stand; others may too.
struct InstancesStand {
  GpuIndex gpu;
  std::vector<InstanceAt> instances;
  friend bool operator==(const InstancesStand&, const InstancesStand&) = default;
};
// None of these instances stands.
struct InstancesGone {
  GpuIndex gpu;
  std::vector<InstanceAt> instances;
  friend bool operator==(const InstancesGone&, const InstancesGone&) = default;
};
// Exactly these stand. placed: at these starts; otherwise only their profiles are compared.
struct LayoutIs {
  GpuIndex gpu;
  std::vector<InstanceAt> instances;
  bool placed = true;
  friend bool operator==(const LayoutIs&, const LayoutIs&) = default;
};
// pending: a change that waits for a reset counts as made.
struct ModeIs {
  std::vector<GpuIndex> gpus;
  bool mig = false;
  bool pending = false;
  friend bool operator==(const ModeIs&, const ModeIs&) = default;
};
struct SharingIs {
  std::vector<GpuIndex> gpus;
  Strategy strategy = Strategy::whole;
  int replicas = 1;
  ProfileName vgpu;
  friend bool operator==(const SharingIs&, const SharingIs&) = default;
};
// The scheduler offers these counts; a resource that is not named is not looked at.
struct Advertises {
  std::map<std::string, std::int64_t> counts;
  friend bool operator==(const Advertises&, const Advertises&) = default;
};
// NodeFacts::words, for a dialect's own steps. passes: waiting may bring it; else a step that relies on it
// stops at once, unless an earlier step provides it.
struct WordIs {
  std::string key;
  std::string value;
  bool passes = true;
  friend bool operator==(const WordIs&, const WordIs&) = default;
};

using Condition = std::variant<Answering, MarkIsOurs, NoForeignMark, NotMarkedByUs, NodeClosed, NotClosedByUs,
                               ScopeEmpty, WorkloadAway, InstancesStand, InstancesGone, LayoutIs, ModeIs,
                               SharingIs, Advertises, WordIs>;
using Conditions = std::vector<Condition>;

std::string_view word(const Condition& condition);  // "scope-empty" ...

// Why it does not hold, as a sentence that names what is in the way; nullopt: it holds. `run` is our run id.
std::optional<std::string> unmet(const Condition& condition, const NodeFacts& facts, std::string_view run);
// The first of them that does not hold.
struct Unmet {
  std::size_t index = 0;
  std::string why;
};
std::optional<Unmet> first_unmet(const Conditions& conditions, const NodeFacts& facts, std::string_view run);

// Whether waiting may help: work ends, a daemon registers, a mark is taken off. What another admin changed by
// hand does not come back by waiting.
bool may_pass(const Condition& condition);

// What is left to do of an action: instances that are gone need no destroying. nullopt: nothing is left.
std::optional<Action> narrow(const Action& action, const NodeFacts& facts, std::string_view run);

}  // namespace tessera::plan
