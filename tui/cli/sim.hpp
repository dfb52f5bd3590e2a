// `tessera-sim`: a saved simulated world in the hands of whoever plays it.
//
// Here only the words are checked; what they do is joined in by main. Threads: writes to the streams.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/mig/catalogue.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

struct SimAnswer {
  std::string text;
  bool finding = false;  // exit code 1
};
using SimJoin = std::function<Result<SimAnswer>(const Options&, const mig::Catalogue&)>;

// Returns the exit code.
int run_sim(const Options& options, const mig::Catalogue& catalogue,
            const std::vector<std::string>& scenarios, const SimJoin& act, const Streams& streams);

}  // namespace tessera::cli
