// What jobs of the past come to. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/mig/catalogue.hpp"
#include "engine/usage/demand.hpp"
#include "engine/usage/ledger.hpp"
#include "engine/usage/past_jobs.hpp"

namespace tessera::usage {

// Adds what they held and for how long they waited within the stretch. Jobs that still run hold until its
// end. GPUs without a type count as whole ones and are called "untyped": they may have been slices. Figures
// of a job count for each of its hours; GPUs of which the job has none, and jobs with GPUs of several types,
// are not measured. A mean tells no percentile, and of what was idle only GPUs that were never used: those
// with a mean below Limits::idle_below over the whole of a job of at least Limits::idle_after.
// What Slurm gathered itself counts where there is nothing better, and only of whole GPUs of a known type,
// since it has no use under MIG: those that no sample saw in use are idle, provided that some other job was
// seen to use any.
void add(Ledger& ledger, const PastJobs& past, const mig::Catalogue& catalogue);

// Who measured use: "jobstats", "slurm" or both; empty: no job has figures.
std::vector<std::string> figures_by(const PastJobs& past);

// How many of each profile were held at the same time, of jobs of `group` (a partition; empty: all). What
// waited is not counted: accounting does not tell for what. GPUs without a type are in no profile.
void add(DemandOverTime& demand, const PastJobs& past, const std::string& group);

}  // namespace tessera::usage
