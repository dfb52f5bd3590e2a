// `scontrol -a -d -o show job` read into workloads. Jobs that have ended are left out.
// Threads: pure functions.
#pragma once

#include <string_view>

#include "backends/slurm/parsed.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

Parsed<Workload> parse_jobs(std::string_view text, Origin origin);

// "RUNNING" → running; CONFIGURING holds its nodes already; words of later versions → unknown.
WorkloadState state_of_job(std::string_view word);

}  // namespace tessera::slurm
