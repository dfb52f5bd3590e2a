// `tessera init`: asks what tessera cannot see of a site, tries the answers without changing anything, and
// writes them.
//
// Answers come from a person on a terminal, or from a YAML file (--answers): setting and answer, one a line.
// The clusters are opened with the answers so far, and what does not work is said before anything is written.
// Threads: the calling thread.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code: 1 when an answer is missing or an answer does not work, and nothing was written.
int run_init(const Parsed& parsed, const Environment& environment, const mig::Catalogue& catalogue,
             const Joins& joins, const Streams& streams);

}  // namespace tessera::cli
