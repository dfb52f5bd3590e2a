// Whose the processes on a node are, by what Slurm there tells of its own (scontrol listpids).
//
// That a process is not in that list proves nothing by itself: where Slurm follows parents or process groups
// (proctrack/linuxproc, pgid) a program can leave its job's, and a step that does not answer tells none of
// its own. So whether the list is whole is asked each time, and what is not certain is not known.
// Threads: pure functions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "backends/nvidia/openers.hpp"
#include "backends/slurm/parse/parse_pids.hpp"
#include "engine/model/telemetry.hpp"

namespace tessera::slurm {

// Longest answer of a node about its processes that is read, in bytes.
inline constexpr std::size_t kMostOfProcesses = 16u << 20;

// Jobs whose id is not their number: tasks of arrays, parts of heterogeneous jobs.
using JobNumbers = std::map<std::string, WorkloadId, std::less<>>;

// What two lists tell together.
Result<JobPids> both(Result<JobPids> before, Result<JobPids> after);

// Every job that is listed as running or suspended there has a process in the list. Where one has none, the
// list may be another node's, or not whole.
bool lists_all(const JobPids& pids, const JobNumbers& numbers, const std::vector<Workload>& jobs,
               const NodeName& node);
// As lists_all, and Slurm tracks every process of its jobs: proctrack/cgroup, by its configuration as
// `scontrol show config` prints it.
bool is_whole(std::string_view config, const JobPids& pids, const JobNumbers& numbers,
              const std::vector<Workload>& jobs, const NodeName& node);

// One that has a GPU open, as one that only opens it (kOnlyOpens): whose it is is not told yet.
GpuProcess as_process(const nvidia::Opener& opener);
// It is certainly of no job: every one of a job's processes is told and it is not among them, or it is a
// service that no job runs. pids: null: not told; whole: is_whole.
bool is_of_no_job(const GpuProcess& process, const JobPids* pids, bool whole);
// Those for which that holds.
std::vector<nvidia::Opener> of_no_job(std::vector<nvidia::Opener> openers, const JobPids* pids, bool whole);
// Those of which neither a job is told nor that they are of none: "python3 (584) and 1 more have GPUs open,
// and whether they are of a job is not known". Empty: there are none.
std::string unowned_text(const std::vector<nvidia::Opener>& openers, const JobPids* pids, bool whole);
// Names the jobs of the processes, and those that are of none by the list.
void name_jobs(Measured& told, const JobPids& pids, const JobNumbers& numbers, bool whole);

}  // namespace tessera::slurm
