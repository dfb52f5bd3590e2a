// Nodes of which no plan is made (a managed node pool, a driver upgrade, layouts that are not offered there):
// the demand is packed without them, and they are named.
//
// Whether a plan is refused depends on the layouts, which the answer has. So nodes are left out as answers
// meet them. Threads: pure functions.
#pragma once

#include <optional>

#include "engine/pack/cluster.hpp"
#include "engine/plan/planner.hpp"

namespace tessera::pack {

// What the GPUs of a problem were read from, as problem_of() was asked, and what a plan of them rests on.
struct ReadFrom {
  const Cluster& cluster;
  const mig::Catalogue& catalogue;
  const plan::Means& can;
  const plan::SiteRules& rules;
  plan::ChangeOptions options;
  std::optional<TimePoint> until;
  std::optional<Naming> asked;
};

// first: the answer to all.problem. An answer of which each node has a plan; all is then without the GPUs of
// the others, whose idle instances serve still, and names them in left_out. Where nothing could be changed
// then, the first answer stays: its layouts may be made by hand, and its plan tells why it is refused. So
// does the last one where very many kinds of nodes are refused one after the other. Errors: as pack().
Result<Answer> keep_to_plans(ClusterProblem& all, Answer first, const ReadFrom& from, const Stop& stop = {});

// The same for nodes that are known to be refused, by the reason.
void leave_out(ClusterProblem& all, const std::map<NodeName, std::string>& refused, const ReadFrom& from);

// Why no plan makes on each of these nodes what the answer has for it. Those of the others that stand as one
// of them does are listed, too, where they are refused that: the next answers would meet them one by one.
std::map<NodeName, std::string> refused_in(const Problem& problem, const Answer& answer,
                                           const ReadFrom& from);

}  // namespace tessera::pack
