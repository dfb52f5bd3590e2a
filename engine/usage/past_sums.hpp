// What jobs of the past come to. Threads: pure functions.
#pragma once

#include "engine/mig/catalogue.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/past_jobs.hpp"

namespace tessera::usage {

// Adds what they held and for how long they waited within the stretch. Jobs that still run hold until its
// end. GPUs without a type count as whole ones and are called "untyped": they may have been slices.
void add(Ledger& ledger, const PastJobs& past, const mig::Catalogue& catalogue);

// How many of each profile were held at the same time, of jobs of `group` (a partition; empty: all). What
// waited is not counted: accounting does not tell for what. GPUs without a type are in no profile.
void add(DemandOverTime& demand, const PastJobs& past, const std::string& group);

}  // namespace tessera::usage
