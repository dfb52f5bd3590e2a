// From what a Slurm command left behind to an error that an admin can act on: Slurm's own words as the
// reason, and the next step as the hint.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/process.hpp"

namespace tessera::slurm {

// what: "cannot list the nodes". nullopt: the command did what it should.
std::optional<Error> explain(std::string what, const Outcome& outcome, Duration deadline);

}  // namespace tessera::slurm
