// What the screens of usage and waste read where no recorder wrote: as the commands do.
// Threads: built on the main one; its functions block the thread that calls them.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "engine/record/archive.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// Of the clusters here, until now. options and joins outlive it.
record::Elsewhere elsewhere(const Options& options, const mig::Catalogue& catalogue, const Joins& joins);

}  // namespace tessera::cli
