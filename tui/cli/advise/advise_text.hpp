// The answers of engine/advise as a document for programs, and as a page for people.
// Threads: pure functions.
#pragma once

#include <string>

#include "engine/advise/advise.hpp"
#include "engine/json.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/record/demand.hpp"

namespace tessera::cli {

// docs/json.md describes its fields. past: nullptr: what waits now alone counted.
Json advise_json(const advise::Question& question, const advise::Advice& advice, const LookedDemand* past,
                 const Options& options);
std::string advise_page(const advise::Question& question, const advise::Advice& advice,
                        const LookedDemand* past, const Options& options);

// "tessera pack 3g.40gb=2 --node n1 --plan": the command that prints the plan of an answer.
std::string command_of(const advise::Answer& answer, const Options& options);

}  // namespace tessera::cli
