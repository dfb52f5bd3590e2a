// Machines that are a Slurm node and a Kubernetes node (Slinky): the two are joined across the clusters of a
// model.
//
// A Slurm node names its pod, the pod its Slurm node and its Kubernetes node. Where these disagree, or two
// answer to one name, nothing is joined.
// Threads: pure functions of a model; what they return points into it.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/model/reduce.hpp"

namespace tessera::slinky {

// A node as the other scheduler has it, and the pod that joins the two.
struct Side {
  const Cluster* cluster = nullptr;
  const Node* node = nullptr;
  const Workload* pod = nullptr;
};

enum class Join : std::uint8_t {
  none,     // its slurmd runs in no pod
  joined,   // with one Kubernetes node
  absent,   // no Kubernetes cluster is in this model
  unread,   // ... or not all of their pods are read
  gone,     // none of them has that pod, on a node with GPUs
  another,  // the pod of that name runs slurmd of another node, or none
  twice,    // several pods, or several Slurm nodes, answer to that name
};
struct Joined {
  Join join = Join::none;
  Side side;  // set when joined
};
// Precondition: a node of a Slurm cluster.
Joined kubernetes_side(const Model& model, const Node& node);

// The same machine in the other scheduler: of a Slurm node one at most, of a Kubernetes node as many as
// slurmds run there.
std::vector<Side> other_sides(const Model& model, const Cluster& cluster, const Node& node);

// Both schedulers are in this model, so that there may be such machines.
bool may_join(const Model& model);

// What a node says of its other side, as reduce writes it among its components, for whoever has the node
// alone.
struct OtherWords {
  Scheduler scheduler = Scheduler::slurm;
  std::string cluster, node;
  std::vector<std::string> state;
  std::string reason;  // why it is closed there; may be empty
  Part part = Part::unknown;
};
std::vector<OtherWords> other_words(const Node& node);
bool is_of_other_side(const Component& part);

// A pod whose GPUs Slurm hands out once more, to users who are told with that cluster.
bool stands_for_jobs(const Cluster& cluster, const Workload& workload);

// Writes it, on both sides of every machine that a change of one cluster may be about, and takes from what
// either side sees free what the other one holds.
void tell_sides(Model& model, const Cluster& changed, const Changes& changes);

}  // namespace tessera::slinky
