// What the commands that look at a recording share: opening it, and the times that were asked for.
// Threads: the main one.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/record/recording.hpp"
#include "engine/usage/accounting_told.hpp"
#include "engine/usage/asking_cost.hpp"
#include "engine/usage/reckoning.hpp"
#include "tui/cli/json.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

using Recordings = std::vector<std::unique_ptr<record::Recording>>;

// The recordings in --recording, of which --cluster names one. Errors: there are none, or none of that name.
Result<Recordings> recordings_of(const Options& options, const Joins& joins);
// The exit code of a command that it has failed for: none is named, or what is named cannot be read.
int exit_code_without_recordings(const Options& options);

// What "the last 03:12" is counted from: the wall clock, or the newest round of a cluster whose clock is
// ahead.
TimePoint now_of(const Recordings& recordings, TimePoint wall);
// The end of what is looked at: --at, or the present.
TimePoint looked_until(const Recordings& recordings, const Options& options, const Joins& joins);

// "; 6 of 8 days from the cache", for the end of a line; empty: there is nothing to say of it.
std::string cache_words(const usage::AccountingTold& told, const Options& options);
// "; slurmdbd was asked by 4 commands in 1.2 s: 812 lines, 90.1 KiB"; empty: it was asked nothing.
std::string cost_words(const usage::AskingCost& cost, const Options& options);
// Of which times nothing is recorded, and what of it is old at `now`, for a document.
void add_gaps(Json& document, const usage::Gaps& gaps, TimePoint now);
// Both of what an accounting was asked for a document.
void add_days(Json& document, const usage::AccountingTold& told, const usage::AskingCost& cost);

}  // namespace tessera::cli
