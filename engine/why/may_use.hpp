// Which nodes a job or pod may use at all, by what it names of nodes, its partition, taints that repel it and
// reservations, whatever is free there: read once for all nodes. Threads: values; one owner.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "engine/why/reserved.hpp"

namespace tessera::why {

// What a job names of nodes.
struct Named {
  std::set<std::string> nodes, excluded;
  bool nodes_unread = false, excluded_unread = false;
  std::vector<std::string> features;  // all of them, or any one
  bool any_feature = false;
  bool features_unread = false;

  bool asks_for(const Node& node) const { return nodes.empty() || nodes.contains(node.name.text); }
  bool has_features(const Node& node) const;
};
Named named_by(const Workload& workload);

// The partitions that a job may start in, in its order: `-p` takes several, "short,long".
std::vector<std::string> partitions_of(const Workload& workload);

// Whether its state lets no job of it start.
bool starts_nothing(const Partition& partition);
// Whether all of the job's partitions in which that node is (nullptr: all of the job's) start nothing: the
// first of these; nullptr: one may start it.
const Partition* closed_to_it(const Cluster& cluster, const Workload& workload, const Node* node);

// Whether a scheduler's message names a node's taint: "team=x:NoExecute" is "{team: x}" there, without its
// effect. One that only asks for other nodes first (PreferNoSchedule) is never meant.
bool names_taint(const std::string& message, const std::string& taint);

// Whether the scheduler's message says that a pod's own words rule nodes out: which, is in no list that is
// read.
bool is_selective(const Workload& workload, Scheduler scheduler);

// Whether the scheduler's message says that nodes have too few CPUs or too little memory left for a pod:
// which nodes, and how much others have left, is in no list that is kept.
bool is_short_of_machine(const Workload& workload, Scheduler scheduler);

// Whether its features are such that Slurm has to work them out: counts and brackets.
bool has_unread_features(const Workload& workload);

// Work of which this text is the same may use the same nodes.
std::string reach_of(const Workload& workload, Scheduler scheduler);

class MayUse {
 public:
  // All live longer than this. to_come: a start now may also not run into one of these; nullptr: at some
  // time.
  MayUse(const Cluster& cluster, const Workload& workload, const ToCome* to_come = nullptr);
  // Whether what it names of nodes (partition, nodes, features; a taint that the scheduler's message names)
  // and a reservation of the node let it use the node at all, whatever is free there.
  bool operator()(const Node& node);
  // Whether a yes is more than a guess: what it names could be read, the message tells which nodes are ruled
  // out and of none that CPUs or memory are short there, and it is known to end before a reservation begins.
  bool is_sure(const Node& node) const;
  // The same at some time, when those reservations are over that do not let it in now: only one of its own
  // binds it to the nodes of that.
  bool in_time(const Node& node);
  // Whether that yes is more than a guess: CPUs and memory that are short now are freed.
  bool is_sure_in_time(const Node& node) const;
  // Whether it names nodes one by one. Where it does not, nodes alike in partitions, features, taints and
  // reservation have one answer at some time.
  bool names_nodes() const { return !named_.nodes.empty() || !named_.excluded.empty(); }

 private:
  bool is_in_partition(const Node& node) const;
  bool is_named(const Node& node);
  bool is_repelled(const Node& node);
  ToCome::Met met_on(const Node& node) const;

  const Workload& workload_;
  const ToCome* to_come_;
  bool slurm_ = false, no_partition_ = false, unread_ = false, unnamed_taints_ = false;
  bool short_of_machine_ = false;
  OwnReservations own_;
  std::string partitions_;  // ",short,long,": those that start jobs
  Named named_;
  std::map<std::string, bool> repels_;  // by taint
};

}  // namespace tessera::why
