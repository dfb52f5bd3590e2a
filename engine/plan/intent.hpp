// What an admin wants: which GPUs of which nodes, cut or shared how, and how patient to be about it.
// Threads: plain values, pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/mig/geometry.hpp"
#include "engine/model/values.hpp"

namespace tessera::plan {

struct WishedInstance {
  ProfileName profile;
  std::optional<int> start;  // nullopt: wherever it disturbs least
  friend bool operator==(const WishedInstance&, const WishedInstance&) = default;
};

// The wish for one GPU. whole: one client gets all of it, MIG off, nothing shared.
struct Wish {
  Strategy strategy = Strategy::whole;    // whole, mig, mps, time_slicing, shard, vgpu
  std::vector<WishedInstance> instances;  // mig; empty: MIG on, no instances
  int replicas = 1;                       // clients of one GPU; under mig: time-slices of one instance
  ProfileName vgpu;                       // vgpu: "A10-4Q"
  friend bool operator==(const Wish&, const Wish&) = default;
};

struct BoardWish {
  std::optional<GpuIndex> gpu;  // nullopt: every GPU of the node
  Wish wish;
  std::optional<NodeName> node = std::nullopt;  // nullopt: every node of the intent
  friend bool operator==(const BoardWish&, const BoardWish&) = default;
};

// What to do about work that stands in the way. Each is armed by the admin; wait is the default and ends
// nobody's work.
enum class Way : std::uint8_t { wait, requeue, cancel };
// What a run does when a step fails for good.
enum class OnFailure : std::uint8_t { park, undo };

struct ChangeOptions {
  Way way = Way::wait;
  bool when_empty = false;       // close the node, park, and act once it is empty
  std::optional<TimePoint> at;   // close the node, park, and act not before
  std::optional<Duration> wait;  // how long to wait for work to end; nullopt: as long as it takes
  OnFailure on_failure = OnFailure::park;
  bool break_lock = false;  // take over a node that another run has marked
  int canary = 1;           // nodes done alone first; 0: none
  int batch = 8;            // nodes at a time after that
  friend bool operator==(const ChangeOptions&, const ChangeOptions&) = default;
};

// How the way of sharing was chosen, for whoever asks later: the guide's walk, and what was accepted with it.
struct DecisionStep {
  std::string question;  // "Q2 Must one user's crash or memory use never touch another's?"
  std::string answer;    // "yes" "no"
  std::string source;    // "admin", "catalogue", "scontrol show job"
  friend bool operator==(const DecisionStep&, const DecisionStep&) = default;
};
struct Decision {
  Strategy strategy = Strategy::unknown;
  std::vector<DecisionStep> path;
  std::vector<std::string> tradeoffs;  // accepted, as sentences
  friend bool operator==(const Decision&, const Decision&) = default;
};

// What is ordered of a node where something in the cluster keeps such orders and carries them out: the labels
// by which the GPU operator or ACK is driven. An empty value: that label is not there. An order stands beside
// what the node offers, and may say something else.
using Orders = std::map<std::string, std::string>;

// The order by which a node goes without a device plugin, so that nothing of its GPUs is offered.
Orders nothing_offered();
// Only "false" is such an order: every other value of that label is the operator's own, who also pauses the
// plugin for a while.
bool offers_nothing(const Orders& orders);

// The device plugin's switches for shares (renameByDefault, failRequestsGreaterThanOne); nullopt: as the node
// has them.
struct WishedSwitches {
  std::optional<bool> rename_shared, refuse_several;
  bool any() const { return rename_shared || refuse_several; }
  friend bool operator==(const WishedSwitches&, const WishedSwitches&) = default;
};

struct Intent {
  ClusterName cluster;
  std::vector<NodeName> nodes;
  std::vector<BoardWish> boards;     // a later one about the same GPU counts
  std::string words;                 // the admin's own: "all-balanced"
  std::optional<Decision> decision;  // nullopt: nobody asked the guide
  ChangeOptions options;
  Orders orders;  // which are to stand afterwards, where they lead to those GPUs; empty: any that does
  WishedSwitches switches;
  // By node, instead of `orders` and of what `switches` say, where nodes differ.
  std::map<std::string, Orders> node_orders;
  std::map<std::string, WishedSwitches> node_switches;
  friend bool operator==(const Intent&, const Intent&) = default;
};

// A decision as lines for people: the strategy, a line for each answer with its source, what was accepted.
std::vector<std::string> to_lines(const Decision& decision);

// A legal layout as a wish with starts; a multiset of profiles as one without.
Wish wish_of(const mig::Product& product, const mig::Layout& layout);
Wish wish_of(const mig::Product& product, std::span<const int> profiles);

// "4g.40gb,2g.20gb@4,2x1g.10gb" → instances; "none" or "whole" → whole; "empty" → MIG on, no instances.
// Profiles are checked against a product only when planning, so that one text serves different boards.
Result<Wish> parse_layout_wish(std::string_view text);
// "none" and "whole", or a way of sharing: mps, time-slicing, shard, vgpu.
std::optional<Strategy> parse_sharing(std::string_view word);
// "7 × 1g.10gb", "3g.40gb@4 + 2g.20gb", "whole GPU", "MPS, 8 clients"
std::string to_text(const Wish& wish);
// The instances alone, equal ones in one word: what stands between two, and behind how many there are of one.
std::string instances_text(const Wish& wish, std::string_view between, std::string_view times);

// What it wishes of one node: that node alone, wishes and orders without names of nodes.
Intent intent_of(const Intent& intent, const NodeName& node);
// Several intents that differ in nodes, GPUs and orders only, as one. Precondition: there is one at least.
Intent joined(const std::vector<Intent>& intents);

// Of an intent about one node: the wish that counts for a GPU; nullptr: it is not about this one.
const Wish* wish_for(const Intent& intent, GpuIndex gpu);

std::string_view word(Way way);  // "wait" "requeue" "cancel"
std::optional<Way> parse_way(std::string_view text);

}  // namespace tessera::plan
