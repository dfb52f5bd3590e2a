// Why one job or pod waits, node by node, and what would help, cheapest first. Each statement carries how
// sure it is and who says so; what the model does not know is named and never guessed. Threads: pure
// functions of values.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/details.hpp"
#include "engine/model/model.hpp"
#include "engine/plan/planner.hpp"
#include "engine/why/against_node.hpp"
#include "engine/why/words.hpp"

namespace tessera::why {

class Reserved;

enum class Certainty : std::uint8_t { certain, likely, unknown };
std::string_view word(Certainty certainty);  // "certain" "likely" "not known"

struct Statement {
  std::string text;
  Certainty certainty = Certainty::certain;
  Source source = Source::none;
  std::string_view by = {};  // of what was asked for this work alone: word(Teller), instead of the source
};
// Who says so, as people read it; empty: nobody in particular.
std::string_view said_by(const Statement& statement);

// Nodes for which the same holds: the first condition that fails there.
struct Candidates {
  std::vector<NodeName> nodes;  // in their natural order
  bool fits = false;            // none of the conditions that are known here fails
  Topic topic = Topic::unknown;
  Statement what;
};

enum class Help : std::uint8_t { by_itself, recut, recut_later, smaller, elsewhere, admin, ask };
std::string_view word(Help help);
struct Remedy {
  Help help = Help::ask;
  std::string text;
  std::string command;  // to copy; empty: there is none
  Certainty certainty = Certainty::likely;
  std::optional<plan::Intent> intent = std::nullopt;  // of `recut`: what its plan would do
};

// How much of an answer was worked out.
enum class Depth : std::uint8_t {
  reason,  // what the scheduler says alone: no node was looked at, and nothing that would help
  nodes,   // and the nodes, but nothing that would help
  help,    // all of it
};

struct Answer {
  bool waits = false;  // false: nothing below is filled in
  Topic topic = Topic::unknown;
  Statement sentence;
  std::vector<Statement> more;      // further parts of the scheduler's message, and what contradicts it
  std::vector<Candidates> nodes;    // the nearest to a start first
  std::vector<Remedy> help;         // the cheapest first
  std::vector<std::string> untold;  // conditions that the model does not know of this work
  std::vector<Inquiry> asked;       // for this work alone, and when; model/details.hpp
  std::optional<TimePoint> asked_at;
  Depth depth = Depth::help;
};

// What is looked at beside the cluster: the cluster's own wall time, and what tessera can change there.
struct Site {
  const mig::Catalogue* catalogue = nullptr;
  const plan::Means* means = nullptr;  // nullptr: presumed
  plan::SiteRules rules = {};
  TimePoint wall{};
  const Details* details =
      nullptr;       // of the work that is asked about; nullptr: nothing was asked for it alone
  bool help = true;  // false: what would help is not worked out
  const AgainstNodes* against = nullptr;  // of these details; explain() fills it in
  const Reserved* reserved = nullptr;     // of this work; explain() fills it in; nullptr: read for each node
};
Answer explain(const Cluster& cluster, const Workload& workload, const Site& site);
// The scheduler's own reason in plain words, without the nodes: as cheap in a cluster of any size.
Answer in_short(const Cluster& cluster, const Workload& workload);

// What it asks for of each of its nodes, in the scheduler's words; empty: no GPU.
struct Asked {
  int nodes = 1;
  std::vector<Request> each;
};
Asked asked_of(const Workload& workload, Scheduler scheduler);

// The first condition of a start that fails on a node. `nodes` of the result has that node.
Candidates look_at(const Cluster& cluster, const Node& node, const Workload& workload, const Site& site);
// All nodes, one group for each answer, the nearest to a start first.
std::vector<Candidates> look_at_all(const Cluster& cluster, const Workload& workload, const Site& site);

// Whether its CPUs, its memory and reservations would let it start there.
bool only_gpus_may_fail(const Cluster& cluster, const Node& node, const Workload& workload, const Site& site);

// What of a node can be had now, by the scheduler's names, with that of which only the number is known.
plan::Stock stock_now(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue);
// Whether one of its nodes gets what it asks for out of this room.
bool serves(const plan::Counts& units, const Asked& asked, Scheduler scheduler);

// Whether a Slurm job may start in one of the node's partitions; true where that is not known.
bool in_its_partition(const Node& node, const Workload& workload, Scheduler scheduler);

std::vector<Remedy> remedies(const Cluster& cluster, const Workload& workload, const Site& site,
                             const std::vector<Candidates>& nodes, const Meaning& meaning);

}  // namespace tessera::why
