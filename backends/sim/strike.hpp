// Armed faults when their moment comes: what they do to the world, and what they do to the action.
// Threads: functions of values. Private to this room.
#pragma once

#include "backends/sim/step.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::sim {

// Where an action takes hold.
struct Hand {
  WorldStep& step;
  World& world;
  std::uint32_t index = 0;
  std::string name;  // of the node, as shown
};

// What becomes of the action itself.
struct Strike {
  bool half = false;  // Insufficient Resources after half of the list
  bool in_use = false;
  bool pends = false;
  bool in_vain = false;  // a reset that mends nothing
  bool nothing = false;  // success without doing
  bool lost = false;     // an error although done
  bool dies_before = false, dies_after = false;
};

// Counts the action, uses up what strikes now, and lets it happen.
Strike strike_before(Hand& hand, const plan::Order& order);
// GPUs whose MIG mode has just changed wait for a reset instead.
void leave_pending(Hand& hand, const std::vector<Board>& before);
// The reset that was just made has not helped.
void leave_unsound(Hand& hand);

}  // namespace tessera::sim
