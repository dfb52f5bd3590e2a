// A world in the hands of whoever plays it: what happens from outside, for `tessera-sim` and for tests.
//
// Errors name what was not found. Threads: functions of values.
#pragma once

#include "backends/sim/world.hpp"

namespace tessera::sim {

Status drain_by_hand(World& world, const std::string& node, const std::string& reason);
// Whoever closed it.
Status open_by_hand(World& world, const std::string& node);
// Work is requeued or lost; its boot unit, if it has one, makes the scenario's instances again.
Status reboot_by_hand(World& world, const std::string& node);
// As its owner would end it.
Status end_by_hand(World& world, const std::string& workload);

}  // namespace tessera::sim
