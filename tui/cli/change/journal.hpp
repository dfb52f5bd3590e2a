// `tessera journal`: the list of runs, or what one of them did.
// Threads: the calling thread.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code. Without a cluster here, the journals alone are told.
int run_journal(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                const Streams& streams);

}  // namespace tessera::cli
