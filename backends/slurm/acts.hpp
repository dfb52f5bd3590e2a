// One action of a run, done to a Slurm node: what to ask of scontrol, of the node's driver and of the files.
// Threads: the worker's thread only.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "backends/slurm/look.hpp"
#include "engine/plan/actuator.hpp"

namespace tessera::slurm {

// What runs have had done that shows nowhere on the cluster (a daemon was restarted). Asked again after a
// crash, it is done again: that does no harm on a drained node.
struct Deeds {
  std::string run;
  std::map<std::string, std::string> words;
};

struct Hands {
  Processes& processes;
  Calls& calls;
  NodeRunner& runner;
  const Site& commands;
  Eyes& eyes;
  Worker& worker;
  std::map<NodeName, Deeds> deeds;
  std::set<NodeName> unsure;  // a change there had no answer: it may still run
  // Those that write Slurm's files; the first one is at it.
  std::deque<std::function<void()>> writers;

  // Adds the words for deeds of the run that marks this node.
  void tell_deeds(plan::NodeFacts& facts) const;
};

// `done` is called once, not from inside.
void act(Hands& hands, const plan::Order& order, std::function<void(Status)> done);

}  // namespace tessera::slurm
