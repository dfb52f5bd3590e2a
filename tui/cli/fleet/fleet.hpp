// `tessera fleet`: the clusters held against a file that says what their GPUs are to be (docs/fleet.md).
// Threads: the calling thread owns the model.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Returns the exit code: kFinding where a node differs or a rule cannot be met, kUnknown where none does but
// not everything could be read.
int run_fleet(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);

// The service and the timer that `tessera config fleet-unit` prints.
std::string fleet_unit();

}  // namespace tessera::cli
