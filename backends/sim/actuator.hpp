// The simulated cluster in the hands of a run: what it sees of a node, and the one thing that it does.
//
// Whatever the driver decides is asked of gpu.hpp; faults that were armed (trap.hpp) strike here and nowhere
// else. Threads: functions of values.
#pragma once

#include "backends/sim/world.hpp"
#include "engine/plan/run/actuator.hpp"

namespace tessera::sim {

// The node as it stands, faults aside. at: for the facts' time and the telemetry.
plan::NodeFacts observe(const World& world, const NodeName& node, TimePoint at);
// What armed faults hide of a node from the look that is taken now. Counts the look and uses them up.
struct Hidden {
  bool vanished = false, silent = false;
  bool unreadable = false;  // all of the cluster
};
Hidden strike_look(World& world, const std::string& node, Changes& changes);
// The same through whatever hides it; uses such a fault up. Errors: the cluster cannot be read.
Result<plan::NodeFacts> look(World& world, const NodeName& node, Changes& changes);

struct Performed {
  Status status;
  bool dies = false;  // the process that acts is to end here, without another word
};
// Adds to `changes` what is different afterwards.
Performed perform(World& world, const plan::Order& order, Changes& changes);
// When what the action began is over: a job has left, a node is back. `world` has performed it.
TimePoint over_at(const World& world, const plan::Order& order);

std::vector<plan::MarkedNode> marks_of(const World& world);

}  // namespace tessera::sim
