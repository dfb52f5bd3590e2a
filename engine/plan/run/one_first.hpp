// Nodes that a run closes at the same time and that wait for their work to end: the first that is empty is
// changed alone, as a canary, and the others once it is done. Which one that is shows only then, so that no
// order of nodes can say it. The plan keeps it as one of its notices: whoever takes the run up goes by it.
// Threads: pure functions.
#pragma once

#include <vector>

#include "engine/plan/run/run.hpp"

namespace tessera::plan {

// Of a plan of several nodes; one node alone is its own canary.
void change_one_first(Plan& plan);
bool changes_one_first(const Plan& plan);

// Nodes that stay parked when the run is taken up, in the order in which they follow: those that wait until
// they are empty, but for the first, while none is done. run: before that is noted.
std::vector<NodeName> held_back(const Run& run);
// What is said of them.
Parked held_back_for(const Run& run, const NodeName& node);
// Of those that are held back, which go on now that nothing is under way: the next one while none is done,
// and then all. None where a node has failed, or an admin wants no more.
std::vector<NodeName> let_on(const Run& run, const std::vector<NodeName>& held);

}  // namespace tessera::plan
