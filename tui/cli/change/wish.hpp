// From flags to an intent: which nodes of which cluster, cut or shared how, and how patiently.
// Threads: pure functions, but for the local time zone, which local times are read in.
#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "engine/plan/planner.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

template <class T>
using Or = std::variant<T, Refusal>;

// Reads --intent into what --node and the wishes would say. Errors: it cannot be read, or flags say the same.
Status load_intent_file(Options& options);

// What is wrong with the flags alone, before anything is asked of a cluster.
Status check_wish(const Options& options);

// A name that is not listed may stand in a record that could not be read: kUnknown then instead of kUsage.
Refusal with_unread_nodes(Refusal refusal, const Model& model);

// The nodes that --node means, by names, ranges or a filter: all of one cluster.
struct ChosenNodes {
  const Cluster* cluster = nullptr;  // into the model
  std::vector<NodeName> nodes;
};
// what: the beginning of an error, "cannot plan". Exit codes: kUsage for what cannot be read and for a name
// that no node has, kUnknown for such a name where not every node could be read, kFinding for a filter that
// no node passes.
Or<ChosenNodes> choose_nodes(const Options& options, const Model& model, const mig::Catalogue& catalogue,
                             TimePoint wall, std::string_view what);

// A GPU that the node does not have, where its GPUs are told: its number is a name that is mistyped.
bool lacks_gpu(const Node& node, GpuIndex gpu);

struct Wished {
  const Cluster* cluster = nullptr;  // into the model
  plan::Intent intent;
  std::vector<std::string> notes;  // what to know about a preset, or what a misprint means
};
// Exit codes: kUsage for unknown names, kFinding for what there is not to change.
Or<Wished> read_wish(const Options& options, const Model& model, const mig::Catalogue& catalogue,
                     TimePoint wall);

// Reads --at into `change`. Errors: it is no time, or over.
Status set_time(plan::ChangeOptions& change, const Options& options, TimePoint now);
// The same before a cluster is looked at. A simulated one has a clock of its own: there it may be over by
// now.
Status check_time(const Options& options, TimePoint wall);

}  // namespace tessera::cli
