// `tessera record` and the commands that look at what it wrote.
// Threads: the main one.
#pragma once

#include <string>

#include "engine/mig/catalogue.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

int run_record(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);
// What changed between --from and --to.
int run_diff(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
             const Streams& streams);
// The unit that `tessera config record-unit` prints.
std::string record_unit();

}  // namespace tessera::cli
