// `tessera usage`: sums over a recording, or what an accounting keeps.
// Threads: the main one.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

int run_usage(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);

}  // namespace tessera::cli
