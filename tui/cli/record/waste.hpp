// `tessera waste`: what was held without use, or too large.
// Threads: the main one.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

int run_waste(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);

}  // namespace tessera::cli
