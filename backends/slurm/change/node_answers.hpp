// What a command on a node has answered to a change, with the way out.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "backends/runner.hpp"

namespace tessera::slurm {

// nullopt: it ended with status 0.
std::optional<Error> plain_refusal(const NodeAnswer& answer, const std::string& what);
// An earlier change was given up without an answer; found: what pgrep says about it. nullopt: it has ended.
std::optional<Error> why_not_ended(const NodeAnswer& found, const std::string& what);

}  // namespace tessera::slurm
