// One action of a run, done to a Slurm node: what to ask of scontrol, of the node's driver and of the files.
// Threads: the worker's thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "backends/slurm/change/look.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::slurm {

// What runs have had done that shows nowhere on the cluster (a daemon was restarted). Asked again after a
// crash, it is done again: that does no harm on a drained node.
struct UnseenActions {
  std::string run;
  std::map<std::string, std::string> words;
};

// What a run has written for a node, and what stood there: until slurmctld has read it, it can be put back.
struct Written {
  std::string run;
  std::vector<slurmconf::File> before, after;
};

struct Hands {
  Processes& processes;
  Calls& calls;
  NodeRunner& runner;
  const SlurmClient& commands;
  Eyes& eyes;
  Worker& worker;
  std::map<NodeName, UnseenActions> unseen;
  std::set<NodeName> unsure;  // a change there had no answer: it may still run
  std::map<NodeName, Written> written;
  // Those that write Slurm's files; the first one is at it.
  std::deque<std::function<void()>> writers;

  void remember(const plan::Order& order, std::string_view name, const std::string& value);
  // Adds the words for unseen of the run that marks this node.
  void add_unseen_actions(plan::NodeFacts& facts) const;
};

// `done` is called once, not from inside. When files are written, at the order's deadline at the latest: what
// is under way then may still come to its end, but nothing more is begun, and the files stay locked until
// then.
//
void start_action(Hands& hands, const plan::Order& order, std::function<void(Status)> done);

}  // namespace tessera::slurm
