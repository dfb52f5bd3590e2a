// `tessera apply`, `undo` and `resume`: the commands that change a cluster.
// Threads: the calling thread owns the model; runs are driven by the room's own.
#pragma once

#include "engine/model/model.hpp"
#include "engine/model/run_news.hpp"
#include "tui/cli/change/due.hpp"
#include "tui/cli/change/follow.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

class KeptJournals;  // runs_at_rest.hpp

// Each returns the exit code.
int run_apply(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);
int run_undo(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);
int run_resume(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);

// As `tessera resume --due`, without the parked runs of which why_not gives a reason. takes_up: runs whose
// tessera was killed are carried on, too. kept: what the caller reads of journals as well. why_rest: for runs
// that are carried on; those whose nodes are opened again are not stopped in that.
int run_resume_due(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
                   const Streams& streams, const WhyNot& why_not, const TakesUp& takes_up, KeptJournals& kept,
                   const WhyRest& why_rest);

}  // namespace tessera::cli
