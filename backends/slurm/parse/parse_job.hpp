// `scontrol -a -d -o show job` read into workloads. Jobs that have ended are left out.
// Threads: pure functions.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/slurm/parse/parsed.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

struct ParsedJobs : Parsed<Workload> {
  // NodeList= of jobs that have ended and are still told: their nodes may have been listed as busy before.
  std::set<std::string, std::less<>> ended_on;
  // How these have ended, which Slurm tells for a while (MinJobAge): only id, kind and state.
  std::vector<Workload> ended;
  // Of jobs whose id is not their number (tasks of arrays, parts of heterogeneous jobs): number → id.
  std::map<std::string, WorkloadId, std::less<>> by_number;
};

ParsedJobs parse_jobs(std::string_view text, Origin origin, const GivenUp& given_up = {});

// Adds to the list how those jobs of `before` ended that are told as ended now: whoever kept them listed
// tells it.
void add_endings(std::vector<Workload>& listed, const std::vector<Workload>& before,
                 std::vector<Workload> ended);

// Nodes of a list read before the jobs that have CPUs allocated although no job is told there, not even one
// that has ended since.
std::vector<std::string> busy_without_jobs(const std::vector<Node>& nodes, const ParsedJobs& jobs);

// "RUNNING" → running; CONFIGURING holds its nodes already; words of later versions → unknown.
WorkloadState state_of_job(std::string_view word);

}  // namespace tessera::slurm
