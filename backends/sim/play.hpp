// `tessera-sim`: a saved world in the hands of whoever plays it.
//
// Acts under the state file's lock, so that a run and its spectators go on meanwhile. Threads: used on one
// thread; blocks for the lock and the file.
#pragma once

#include <string>
#include <vector>

#include "backends/sim/backend.hpp"

namespace tessera::sim {

struct Played {
  std::string text;      // what to print
  bool finding = false;  // `check` found something
};

// words: what follows `tessera-sim`: "advance", "10m". cluster: only this one; empty: the one that is meant,
// or all. Errors: no state file, unknown words, no such node or workload, what the file says.
Result<Played> play(const SimulatorOptions& options, const std::string& cluster,
                    const std::vector<std::string>& words);

}  // namespace tessera::sim
