// What a scheduler hands out held against what is made on the hardware. Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/mig/catalogue.hpp"
#include "engine/plan/planner.hpp"

namespace tessera::fleet {

// Empty: it hands out what is made. Else what that would be: "nvidia.com/mig-1g.10gb 14". nullopt: what is
// made or handed out is not known, or the two cannot be compared (Slurm, ACK's units, devices by DRA, a
// change that is under way).
std::optional<std::string> offers_otherwise(const Node& node, Scheduler scheduler,
                                            const mig::Catalogue& catalogue, const plan::SiteRules& rules);

}  // namespace tessera::fleet
