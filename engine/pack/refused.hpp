// Nodes of which no plan is made (a managed node pool, a driver upgrade, layouts that are not offered there):
// the demand is packed without them, and they are named.
//
// Whether a plan is refused depends on the layouts, which the answer has. So nodes are left out as answers
// meet them. Threads: pure functions.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

// What one search after the other comes to. problem: what `first` answers, and what `again` remakes each
// time. again: leaves these nodes out, too, and answers what remains; nullopt: nothing is asked for any more.
// An answer of which each node has a plan; nullopt: nothing could be changed then. Errors: those of `again`,
// search_given_up(), and gives_up_on(): what is refused is never told as changed.
using Again = std::function<Result<std::optional<Answer>>(const std::map<NodeName, std::string>& refused)>;
Result<std::optional<Answer>> without_refused(const Problem& problem, Answer first, const ReadFrom& from,
                                              const Again& again, const Stop& stop = {});

// first: the answer to all.problem. An answer of which each node has a plan; all is then without the GPUs of
// the others, whose idle instances serve still, and names them in left_out. Where nothing could be changed
// then, the first answer stays: its layouts may be made by hand, and its plan tells why it is refused.
// Errors: as without_refused() and pack().
Result<Answer> keep_to_plans(ClusterProblem& all, Answer first, const ReadFrom& from, const Stop& stop = {});

// Nodes are left out so many times at most, each time all those that the answer meets: each costs a search.
inline constexpr int kMostRefusals = 64;
// After so many every other node is asked alone, too, once, and all that are refused then are left out: a
// pool whose nodes all differ is met by no few answers.
inline constexpr int kEachAlone = 16;
// Why no answer is given then: of those that are left it is not known which have a plan. refused: what the
// last one met.
Error gives_up_on(const std::map<NodeName, std::string>& refused);

// The same for nodes that are known to be refused, by the reason: the problem is then without their GPUs.
// Returns how many each of them had.
std::map<NodeName, int> leave_out(Problem& problem, const std::map<NodeName, std::string>& refused,
                                  const ReadFrom& from);
// Nodes that are left out for one reason are one line of left_out (ClusterProblem), wherever they were met:
// so all of them are named at once. gpus: as leave_out() returned them.
void name_left_out(std::map<std::string, int>& left_out, const std::map<NodeName, std::string>& refused,
                   const std::map<NodeName, int>& gpus);

// Nodes that are refused for one reason; it may name them.
struct RefusedKind {
  std::vector<NodeName> nodes;  // by name
  std::string why;              // as it is told of the first
};
std::vector<RefusedKind> by_reason(const std::map<NodeName, std::string>& refused);
// "n[1-2,5]"
std::string names_of(const RefusedKind& kind);

// Why no plan makes on each of these nodes what the answer has for it. Those of the others that stand as one
// of them does are listed, too, where they are refused that: the next answers would meet them one by one.
// Where it was stopped not all are listed.
std::map<NodeName, std::string> refused_in(const Problem& problem, const Answer& answer, const ReadFrom& from,
                                           const Stop& stop = {});

}  // namespace tessera::pack
