// What Slurm's files say, held against what runs.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/model/values.hpp"
#include "engine/slurmconf/site.hpp"

namespace tessera::slurm {

// "22.05.8" → major and minor.
slurmconf::Site with_version(slurmconf::Site site, std::string_view version);

// What a reconfigure would change on other nodes, as a sentence; empty: nothing. nodes: all, as Slurm tells
// them.
std::string differs_elsewhere(const slurmconf::Site& site, const std::vector<Node>& nodes,
                              const std::string& node);

}  // namespace tessera::slurm
