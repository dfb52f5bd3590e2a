// Waiting jobs and pods that no node could give what they ask for at once: GPUs on several nodes that are
// made for one of them would serve none. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/pack/problem.hpp"
#include "engine/pack/queue_demand.hpp"

namespace tessera::pack {

// Takes them out of the demand, and counts them in QueueDemand::no_node. problem: of the nodes that are
// planned, with its terms; a node gives at most what its GPUs could become within these, and all of which it
// is not known whether it is held, or is free by `until` on GPUs that are not planned. These stay in the
// demand: what does not tell on how many nodes it runs, unless it asks for one thing, and what asks for one
// kind of which all nodes together could give nothing: no GPU is changed for it, and the planner tells why.
// Once it is stopped the demand is worth nothing.
void leave_out_unserved(QueueDemand& queue, const Cluster& cluster, const Problem& problem,
                        std::optional<TimePoint> until, const Stop& stop = {});

// A line for each kind of them, the most frequent first; empty: there are none.
std::vector<std::string> unserved_text(const QueueDemand& queue);

}  // namespace tessera::pack
