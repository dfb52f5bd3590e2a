// The flags by which a command finds the same cluster again, for commands to copy.
// Threads: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/model/model.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

// How a cluster was found is part of how it is planned on. cluster: nullptr: it is not named.
std::vector<std::string> as_asked(const Options& options, const Cluster* cluster);

}  // namespace tessera::cli
