// `tessera advise`: which nodes to re-cut for what waits, as a few answers with their forecast and their
// cost. Threads: the calling thread owns the model.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code: kFinding where jobs or pods wait for slices and no answer serves them.
int run_advise(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);

}  // namespace tessera::cli
