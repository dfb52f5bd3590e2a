// The nodes on which what waits may start at some time, and the demand of a queue sorted by them.
// Threads: values; one owner.
#pragma once

#include <span>

#include "engine/pack/problem.hpp"
#include "engine/pack/queue_demand.hpp"
#include "engine/why/may_use.hpp"

namespace tessera::pack {

// By what a job or pod names of nodes, its partition, and taints that repel it. Reservations begin and end:
// one of its own binds it to the nodes of that, and one of others to none.
class Reach {
 public:
  // Both live longer than this.
  Reach(const Cluster& cluster, const Workload& work) : may_use_(cluster, work) {}
  Reach(const Reach&) = delete;
  Reach& operator=(const Reach&) = delete;
  bool operator()(const Node& node) { return may_use_.in_time(node); }
  // Whether a yes is more than a guess.
  bool is_sure(const Node& node) const { return may_use_.is_sure_in_time(node); }

 private:
  why::MayUse may_use_;
};

// Whether what the node could give is not known now: it does not answer, or Slurm starts it for work.
bool may_come(const Node& node);

// More sets of nodes are not planned for at once.
inline constexpr std::size_t kMostGroups = 200;

// Sorts what the queue counts by those of these nodes that it may use for certain, or where there are none,
// perhaps (QueueDemand::guessed). Nodes without GPUs are none of them, but for what may use only such as
// may_come(). What is beyond kMostGroups is counted no more. Where all of it may use all
// of them there are no groups. Where it was stopped, nothing is sorted.
void sort_by_nodes(QueueDemand& queue, const Cluster& cluster, std::span<const NodeName> nodes,
                   const Stop& stop = {});

// How many rest on a guess, and how many are counted no more, a line each; may be empty.
std::vector<std::string> reach_text(const QueueDemand& queue);

}  // namespace tessera::pack
