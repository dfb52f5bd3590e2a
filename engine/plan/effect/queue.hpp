// Which waiting work starts when more can be had: one count for the guide, the editor, the plan and the
// command line.
//
// It counts capacity, not matches: each unit serves one, longest wait first, and takes the CPUs and the
// memory that it asks for, as far as they are known (why/machine.hpp). Left out is work that waits for
// something else than room (held, dependent, over a limit, gated), and work that what is free now serves.
// Threads: pure functions.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/why/machine.hpp"
#include "engine/why/reserved.hpp"

namespace tessera::plan {

// Whether it starts as soon as what it asks for is free, by the scheduler's reason.
bool waits_for_room(const Workload& workload, Scheduler scheduler);

// Which resources of a node are shares of something, so that asking for several gives nothing more; and
// whether the device plugin refuses a container that does.
struct Shares {
  std::set<std::string> names;
  bool refuse_several = false;
};

// What one node has to give, by the scheduler's names. Below 0: it gives less than before. Its CPUs and
// memory are read of the node.
struct Room {
  NodeName node;
  Counts units;
  Shares shares = {};
  int ended = 0;  // of those listed there: how many end first (how much they held: Machine::give_back_untold)
};

// Each slice of a node that work can ask for, with the name by which the scheduler hands it out.
void each_named_slice(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue,
                      const std::function<void(const Slice&, const std::string&)>& see);

// What all slices of a node could give, and what can be had of them now. Of Slurm's MPS, what one GPU has: a
// node's is handed out from one GPU at a time.
struct Stock {
  Room all, free;
};
Stock stock_of(const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue);

struct Queue {
  Scheduler scheduler = Scheduler::slurm;
  std::vector<const Workload*> waiting;  // longest wait first; they live as long as the cluster's list
  // What is left beside GPUs on the nodes where work starts on what is free now.
  std::map<NodeName, why::Machine> machines = {};
  // Of Slurm: one that would still run when one of these begins does not start there. nullptr: there are
  // none.
  std::shared_ptr<const why::ToCome> to_come = nullptr;
};
// Those that are to come as of when the cluster's lists were read last; nullptr: none.
std::shared_ptr<const why::ToCome> reservations_to_come(const Cluster& cluster);
Queue queue_of(const Cluster& cluster, const mig::Catalogue& catalogue);

// Those of the queue that start with this room in addition, on nodes that they may use as far as that is
// known (why/may_use.hpp): of which it is not known, those are not counted, nor those for which CPUs and
// memory are enough only if Slurm deals them out unevenly. A pod takes all that it asks for from one node, a
// Slurm job an even part from each of its nodes.
std::vector<const Workload*> starting(const Cluster& cluster, const Queue& queue, std::vector<Room> gained);
// The same, with those that ask for several shares: they hold so many, and get no more than one share's
// worth.
struct Start {
  const Workload* workload = nullptr;
  std::int64_t shares = 0;  // that it asks for of `resource`; 0: none, or one
  std::string resource;
  // false: whether it may use the nodes, or whether enough CPUs and memory are free there, is not known
  bool sure = true;
};
std::vector<Start> starts(const Cluster& cluster, const Queue& queue, std::vector<Room> gained);
// How many of the queue find room there: for certain, and perhaps, since it is not known which nodes they may
// use, how Slurm deals out their CPUs and memory, or whether another such takes their room.
struct Fitting {
  int sure = 0, perhaps = 0;
};
Fitting fitting(const Cluster& cluster, const Queue& queue, const std::vector<Room>& gained);
// Those of the queue that a node would be chosen for and whose container its device plugin would refuse.
std::vector<Start> refused(const Queue& queue, const Shares& shares);

// What a node offers as far as work can have it at once: of Slurm's MPS that of one GPU.
Counts at_once(const Cluster& cluster, const NodeName& name, Counts offered);

// What a node gains by a change; no units where new work cannot start there.
Room gained(const Cluster& cluster, const Node& node, const Counts& before, const Counts& after,
            Shares shares = {});

}  // namespace tessera::plan
