// tessera users: who holds and waits for how much, in every cluster.
// Threads: the calling thread owns the model.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Exit code: 0 done, 3 a cluster did not answer completely: half a list would show the wrong ones as large.
int run_users(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);

}  // namespace tessera::cli
