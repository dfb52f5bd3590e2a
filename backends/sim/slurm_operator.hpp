// Slinky's slurm-operator and its NodeSets at work between the worlds of one scenario: a machine of a
// simulated Kubernetes whose pod runs slurmd of a node of a simulated Slurm.
//
// The pod's comment says whose slurmd it runs; its machine bears the name of that Slurm node. The operator
// drains the Slurm node when the machine is closed, with that reason behind "slurm-operator:", opens it
// again, and leaves every other drain alone. A pod that was ended is started again on its own machine once
// that is open; until then Slurm's node is down. A slurmd that starts registers the GPUs that it finds. All
// that comes about at once, and the pod's comment tells Slurm's states as conditions would. Threads: pure
// functions of values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/sim/world.hpp"

namespace tessera::sim {

// Some node of the scenario is such a machine: then its worlds belong together.
bool runs_slurmds(const Scenario& scenario);

// Brings all of them up to date; changes: one for each world, to which what is different is added. Whether
// anything is.
bool follow_slurmds(std::vector<World>& worlds, std::vector<Changes>& changes);

// Of a Kubernetes world: the pod that runs slurmd of the Slurm node called like this machine, also while it
// waits to be started; nullptr: there is none.
const Job* slurmd_of(const World& world, std::uint32_t machine);
// Why that pod may not be ended now; empty: Slurm has drained its node and no job is there, or it does not
// run.
std::string why_slurm_uses(const World& world, std::uint32_t machine);
// Why Slurm's node does not take jobs again; empty: it does, or another keeps it closed.
std::string why_slurmd_is_not_back(const World& world, std::uint32_t machine);

// Ends it, as an eviction does: its NodeSet starts it again. Precondition: slurmd_of() found it.
void stop_slurmd(World& world, std::uint32_t machine, Changes& changes);

}  // namespace tessera::sim
