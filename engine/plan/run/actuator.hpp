// The port by which a run changes a cluster: look at a node, do one thing to it, tell how that went.
//
// Backends that can be changed implement it beside Backend. Nothing here decides: what to do comes from the
// executor (executor.hpp), and whether it worked is read back with observe(), never taken from a Status.
// Threads: every method returns at once and may be called from any thread; the work and the call back happen
// on the backend's worker thread, each call back exactly once (also when the backend is stopped: then with an
// Error). At most one perform() a node is under way; the caller sees to that.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/error.hpp"
#include "engine/plan/action.hpp"
#include "engine/plan/capabilities.hpp"
#include "engine/plan/facts.hpp"

namespace tessera::plan {

// One thing to do.
struct Order {
  NodeName node;
  Action action;
  RunMark mark;          // the run that asks; goes into marks and drain reasons
  std::string step;      // its step, for logs
  Duration deadline{0};  // give up after that; 0: the backend's own limit
  // What another process has ordered there for this run told no success: it may be under way still.
  bool unsure = false;
};

// A run's mark as it stands on the cluster: how colleagues elsewhere see it.
struct MarkedNode {
  NodeName node;
  RunMark mark;
};

class Actuator {
 public:
  template <class T>
  using Told = std::function<void(Result<T>)>;

  virtual ~Actuator() = default;

  virtual Means means() const = 0;
  // Cluster::id as last read; empty: not reported. A run is driven only on the cluster that it was begun on.
  virtual std::string cluster_id() const = 0;
  // A fresh look, not a cached one. A node that is gone is not an error: known is false then.
  virtual void observe(NodeName node, Told<NodeFacts> told) = 0;
  // The same for a step that reads only these of NodeFacts::words. Others may be left out where they cost the
  // cluster a call of their own; NodeFacts::left_out names them then.
  virtual void observe_for(NodeName node, const std::set<std::string>& /*words*/, Told<NodeFacts> told) {
    observe(std::move(node), std::move(told));
  }
  // An action that is already true succeeds. Errors carry the tool's own words in `reason`. What was done of
  // a list before an error stays done.
  virtual void perform(Order order, Told<Done> told) = 0;
  // Every mark on the cluster, whoever set it.
  virtual void marks(Told<std::vector<MarkedNode>> told) = 0;
  // A run has come to rest here, done or parked: the picture that the backend posts is looked at again at
  // once, so that no way back is planned from an old one.
  virtual void look_again() = 0;
};

}  // namespace tessera::plan
