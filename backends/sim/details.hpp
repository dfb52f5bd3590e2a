// What a simulated Slurm tells of one job alone: its QOS, and the limits that count for it with what of them
// is in use, out of the world itself. Its queue goes by submission, so that there are no parts of a priority.
// Threads: pure functions of values.
#pragma once

#include <optional>

#include "backends/sim/world.hpp"
#include "engine/model/details.hpp"

namespace tessera::sim {

// failure: the world could not be reached; then the question stands without an answer. nullopt: no such job.
// Precondition: the world's scheduler is Slurm.
std::optional<Details> details_of(const World& world, const WorkloadId& id,
                                  const std::optional<Error>& failure = std::nullopt);

}  // namespace tessera::sim
