// Nodes that a run closes at the same time and that wait for their work to end: the first that is empty is
// changed alone, as a canary, and the others once it is done. Which one that is shows only then, so that no
// order of nodes can say it. The plan keeps it as one of its notices: whoever takes the run up goes by it,
// wherever the run stood when its tessera was killed.
// Threads: pure functions.
#pragma once

#include "engine/plan/run/run.hpp"

namespace tessera::plan {

// Of a plan of several nodes; one node alone is its own canary.
void change_one_first(Plan& plan);
bool changes_one_first(const Plan& plan);

struct LedTurn {
  Turn turn;
  bool held_back = false;  // the node is empty, and parks since another one is changed first
};
// What a node of the run does next, as Executor::next() says; but while the first node is being changed, or
// has failed, no other one goes on once it is empty. The run's executor stands where the turn leads to.
LedTurn next_turn(Run& run, const NodeName& node, const Result<NodeFacts>* fresh, TimePoint now);

// Whether those that were held back go on now: the first is done, no node has failed, and no admin wants
// less.
bool others_follow(const Run& run);

}  // namespace tessera::plan
