// Which waiting work starts when more can be had: one count for the guide, the editor, the plan and the
// command line.
//
// It counts capacity, not matches: each unit serves one, longest wait first. Left out is work that waits for
// something else than room (held, dependent, over a limit, gated), and work that what is free now serves.
// Threads: pure functions.
#pragma once

#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Whether it starts as soon as what it asks for is free, by the scheduler's reason.
bool waits_for_room(const Workload& workload, Scheduler scheduler);

// What one node has to give, by the scheduler's names. Below 0: it gives less than before.
struct Room {
  NodeName node;
  std::vector<std::string> partitions;  // empty: not told, or the scheduler has none
  Counts units;
};

struct Queue {
  Scheduler scheduler = Scheduler::slurm;
  std::vector<const Workload*> waiting;  // longest wait first; they live as long as the cluster's list
};
Queue queue_of(const Cluster& cluster, const mig::Catalogue& catalogue);

// Those of the queue that start with this room in addition. A pod takes all that it asks for from one node, a
// Slurm job an even part from each of its nodes.
std::vector<const Workload*> starting(const Queue& queue, std::vector<Room> gained);

// What a node gains by a change; no units where new work cannot start there.
Room gained(const Cluster& cluster, const Node& node, const Counts& before, const Counts& after);

}  // namespace tessera::plan
