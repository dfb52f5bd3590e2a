// `tessera waste`: what was held without use, or too large.
// Threads: the main one.
#pragma once

#include <optional>

#include "engine/mig/catalogue.hpp"
#include "tui/cli/record/looked.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// What the site's filter names and that source does not tell; looked: what it told, nullptr: nothing yet.
// nullopt: the filter leaves out what it says.
std::optional<Error> why_exceptions_not_told(const Options& options, PastSource source,
                                             const usage::Reckoning* looked);

int run_waste(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
              const Streams& streams);

}  // namespace tessera::cli
