// `tessera pack`: which GPUs to change for a demand of MIG slices, and how sure it is that fewer do not
// suffice. Threads: the calling thread.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code: kFinding where part of the demand cannot be met.
int run_pack(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);

}  // namespace tessera::cli
