// When a node is closed for a window that has not opened yet, so that its layout stands at the opening.
// Time is passed in. Threads: pure functions.
#pragma once

#include <optional>

#include "engine/model/model.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::fleet {

struct Early {
  // nullopt: how long what holds the node may run is not known, so nothing is closed before the opening.
  std::optional<TimePoint> begin;
  Duration limit{};     // the longest time limit of what is in the way: as long may what starts next take
  Duration steps{};     // what the steps usually take, of all nodes that are changed one after the other
  bool capped = false;  // the pool's lead ends before: it may stand later than the opening
};

// node: its part of a plan that makes the layout of the window that opens then. turns: 2 where another node
// is changed first, and this one once that is done.
Early early(const Cluster& cluster, const plan::NodePlan& node, TimePoint opening, Duration lead,
            int turns = 1);

}  // namespace tessera::fleet
