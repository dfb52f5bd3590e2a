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
  Duration steps{};     // what the steps usually take
  bool capped = false;  // the pool's lead ends before: it may stand later than the opening
};

// node: its part of a plan that makes the layout of the window that opens then.
Early early(const Cluster& cluster, const plan::NodePlan& node, TimePoint opening, Duration lead);

}  // namespace tessera::fleet
