// tessera why JOB|POD: why it waits, node by node, and what would help.
// Threads: the calling thread owns the model.
#pragma once

#include "engine/json.hpp"
#include "engine/why/why.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// Exit code: 0 told (also of work that does not wait), 2 nothing is called so, 3 no complete answer in time.
int run_why(const Options& options, const mig::Catalogue& catalogue, const Joins& joins,
            const Streams& streams);

// The answer as it is printed for people, in the reader's language, and as a document.
std::string why_text(const Cluster& cluster, const Workload& workload, const why::Answer& answer,
                     const Options& options);
Json why_json(const Cluster& cluster, const Workload& workload, const why::Answer& answer);

}  // namespace tessera::cli
