// `scontrol listpids` read: which processes of one node belong to which job.
//
// Read by the names of its columns (22.05 to 26.05 print PID, JOBID, STEPID, LOCALID, GLOBALID). It tells
// what slurmstepd has tracked there; jobs are told by their number, array tasks too. Where a step gives no
// answer, 24.11 to 25.11 print nothing but the complaint; the others print what the other steps told, and end
// with 1. Threads: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/error.hpp"
#include "engine/model/units.hpp"

namespace tessera::slurm {

// Longest answer that is read, in processes.
inline constexpr std::size_t kMostPids = 262'144;

struct JobPids {
  std::map<std::int64_t, std::string> jobs;  // process → number of its job; empty: two jobs are told for it
  // Every step told its processes: one that is not listed belongs to no job.
  bool complete = true;
  std::string missing;  // in scontrol's words; empty: nothing
};

// The argument vector, for the node itself. It is named, since one host may run several slurmds.
std::vector<std::string> list_pids(const NodeName& node);
// Output and error text, and the exit code. That no step runs there is an empty list, and complete, with or
// without its columns. Errors: it is no such list, or a line of it cannot be read.
Result<JobPids> parse_pids(std::string_view out, std::string_view err, int exit_code);

}  // namespace tessera::slurm
