// What waits as a demand for the planner: the MIG slices and whole GPUs for which waiting jobs and pods ask.
// Threads: pure function.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"
#include "engine/pack/naming.hpp"
#include "engine/pack/problem.hpp"

namespace tessera::pack {

// A profile or whole GPUs that one of them asks for, on all its nodes together; product: nullptr: of any.
struct QueueWant {
  ProfileName profile;
  const mig::Product* product = nullptr;
  std::int64_t count = 0;
};

// Alike, and left out because no node could serve them (engine/pack/unserved.hpp).
struct NoNode {
  std::string partition;  // no node of it could; empty: none that they may use
  std::string request;    // of all its nodes together: "4 × gpu:h100"
  int nodes = 1;          // that each needs
  int workloads = 0;
};

// One job or pod, or an array.
struct QueueWaiting {
  WorkloadId id;
  std::vector<QueueWant> wants;
  int tasks = 1;
};

// What may use the same nodes (engine/pack/by_nodes.hpp).
struct QueueGroup {
  std::set<NodeName> nodes;
  std::vector<QueueWaiting> waiting;
  std::vector<Demand> demand;  // as that of the queue
  int workloads = 0;
};

struct QueueDemand {
  using Waiting = QueueWaiting;
  std::vector<Waiting> waiting;  // that it counts, one by one
  std::vector<Demand> demand;    // by profile, in the order of their names; product: of `products`
  std::vector<const mig::Product*> products;
  int workloads = 0;            // that it counts
  std::vector<WorkloadId> ids;  // of these
  // That wait for room, and ask for something else: shares, AMD's GPUs, GPUs whose type is not told (where
  // instances are GPUs, too) or not known to be of a product where other whole GPUs are.
  int other = 0;
  int kept = 0;    // that wait for something else than room: a release, a limit, a dependency
  int of_any = 0;  // whole GPUs that are counted as of any product: of several here it is not told which
  Naming naming = Naming::profiles;  // for which it asks, or claims
  int other_naming = 0;              // that wait for room, and ask for slices by the other of these two
  std::vector<NoNode> no_node;       // those that most wait for first
  bool of_several = false;           // there are GPUs of several products
  std::vector<QueueGroup> groups;    // those of which most wait first; empty: any node serves all of it
  int guessed = 0;  // of those that it counts: on none of their nodes is it certain that they may start
  int beyond = 0;   // that wait for room, and may use yet other nodes than so many groups do
};

// All that waits for room counts, also what idle slices will serve: the planner lets these stand. partition:
// only work of this partition (Slurm; on Kubernetes of this namespace); empty: all. only: of these alone.
// whole: with whole GPUs, where nothing but uncut GPUs is handed out by the name that is asked for; nullptr:
// without. Slurm serves a GPU without a type from any kind: where instances are GPUs, too, such a request
// says nothing, and elsewhere it is for a whole GPU of any product. Where there are GPUs of several products,
// those of a type are asked for by its product. naming: profiles, or claims, since no slice serves both;
// nullopt: profiles, or claims where nothing asks for the others.
QueueDemand demand_of_queue(const Cluster& cluster, const std::string& partition, const mig::Catalogue* whole,
                            const std::set<WorkloadId>* only = nullptr,
                            std::optional<Naming> naming = std::nullopt);

// Whether whole GPUs that were needed in the past say which ones are: all GPUs are of one product, and no
// name of a GPU hands out shares or instances. Else a demand for them would make whole what served no one.
bool whole_is_one_kind(const Cluster& cluster, const mig::Catalogue& catalogue);

// How many it counts, and how many it does not; a line.
std::string queue_text(const QueueDemand& queue);
// How many ask for slices by other names, and how they are planned for; empty: none.
std::string other_naming_text(const QueueDemand& queue);

// The demand, and how many it counts, by `waiting`; that of each group, by its own.
void sum_up(QueueDemand& queue);

// The demand in terms of the problem, which then has its products; where there are groups, with the nodes
// that serve each as its pools.
std::vector<Demand> demand_in(Problem& problem, const QueueDemand& queue);
// The same, summed over all groups.
std::vector<Demand> sums_in(Problem& problem, const QueueDemand& queue);

}  // namespace tessera::pack
