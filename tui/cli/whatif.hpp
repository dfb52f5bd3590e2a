// tessera whatif: what a change of layout would do to the work that waits.
// Threads: the calling thread owns the model.
#pragma once

#include "engine/json.hpp"
#include "engine/whatif/whatif.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// Exit code: as tessera plan where no plan can be made; else 0.
int run_whatif(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
               const Streams& streams);

// The answer as it is printed for people, in the reader's language, and as a document.
std::string whatif_text(const plan::Plan& plan, const whatif::Comparison& answer, const Options& options);
Json whatif_json(const plan::Plan& plan, const whatif::Comparison& answer);

// Parts of it: workloads whose start is another one, and a time as "now", "in 2 h 05 min" or "not".
Json moved_json(const std::vector<whatif::Moved>& all);
std::string when(const std::optional<TimePoint>& at, const whatif::Comparison& answer);

}  // namespace tessera::cli
