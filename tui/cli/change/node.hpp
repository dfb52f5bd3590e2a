// `tessera node VERB NODES`: what is done to nodes as a whole. Planned, armed, kept and undone like a layout.
// Threads: as change.hpp.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code.
int run_node(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);

}  // namespace tessera::cli
