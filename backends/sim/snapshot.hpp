// A world as a backend would tell it: nodes, GPUs, slices and workloads as values, and the events for them.
//
// Node names, user names, job names and reasons pass clean() on their way out. Holders are not reported:
// reduce derives them from the allocations, whose device numbers count over a node's slices in order.
// Threads: pure functions of a world.
#pragma once

#include <vector>

#include "backends/sim/world.hpp"
#include "engine/model/event.hpp"

namespace tessera::sim {

// Telemetry is that of `at`; facts are the world's.
Node node_value(const World& world, std::uint32_t node, TimePoint at);
// Of a GPU; the same for as long as the world lives.
std::string uuid_of(const World& world, std::uint32_t node, std::size_t gpu);
Workload workload_value(const World& world, const Job& job);

// How the source of a world is doing: whether it answers.
SourceReport source_report(const World& world);

// Everything, in the order in which a console can use it: who the cluster is, its clock (`wall` is the wall
// clock now, `speed` how fast the world follows it), nodes, workloads, and that this is all.
std::vector<Event> snapshot(const World& world, TimePoint wall, double speed, std::uint64_t generation = 0);
// What an advance() changed.
std::vector<Event> events_of(const World& world, const Changes& changes, std::uint64_t generation = 0);

}  // namespace tessera::sim
