// `tessera apply`, `undo` and `resume`: the commands that change a cluster.
// Threads: the calling thread owns the model; runs are driven by the room's own.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Each returns the exit code.
int run_apply(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);
int run_undo(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);
int run_resume(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);

}  // namespace tessera::cli
