#include "backends/slurm/change/process_owners.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "backends/slurm/parse/parse_cluster.hpp"
#include "engine/model/processes.hpp"
#include "engine/plan/effect/gpu_clients.hpp"

namespace tessera::slurm {
namespace {

// Of these alone it is certain that a process that Slurm does not list is none of its own: others follow
// parents or process groups, which a program can leave.
bool tracks_all(std::string_view config) {
  return config_value(config, "ProctrackType").find("cgroup") != std::string::npos;
}

// All of Slurm's own are told, and it is none of them.
bool is_left_out(std::int64_t pid, const JobPids* pids, bool whole) {
  return whole && pids && pids->complete && !pids->jobs.contains(pid);
}

}  // namespace

Result<JobPids> both(Result<JobPids> before, Result<JobPids> after) {
  if (!before || !after) return before ? after : before;
  for (auto& [pid, job] : before->jobs) {
    const auto [known, fresh] = after->jobs.try_emplace(pid, job);
    if (!fresh && known->second != job) known->second.clear();
  }
  after->complete = after->complete && before->complete;
  if (after->missing.empty()) after->missing = before->missing;
  return after;
}

bool lists_all(const JobPids& pids, const JobNumbers& numbers, const std::vector<Workload>& jobs,
               const NodeName& node) {
  std::set<std::string_view> listed;
  for (const auto& [pid, job] : pids.jobs) {
    const auto other = numbers.find(job);
    listed.insert(other == numbers.end() ? std::string_view(job) : other->second.view());
  }
  return std::all_of(jobs.begin(), jobs.end(), [&](const Workload& job) {
    const bool has_processes = job.state == WorkloadState::running || job.state == WorkloadState::suspended;
    const bool here = has_processes && std::any_of(job.allocations.begin(), job.allocations.end(),
                                                   [&](const Allocation& one) { return one.node == node; });
    return !here || listed.contains(job.id.view());
  });
}

bool is_whole(std::string_view config, const JobPids& pids, const JobNumbers& numbers,
              const std::vector<Workload>& jobs, const NodeName& node) {
  return tracks_all(config) && lists_all(pids, numbers, jobs, node);
}

GpuProcess as_process(const nvidia::Opener& opener) {
  GpuProcess process;
  process.pid = opener.pid;
  process.name = opener.program;
  process.workload = WorkloadId(std::string(kOnlyOpens));
  return process;
}

bool is_of_no_job(const GpuProcess& process, const JobPids* pids, bool whole) {
  if (pids && pids->jobs.contains(process.pid)) return false;
  return is_left_out(process.pid, pids, whole) || is_none_by_name(process);
}

std::vector<nvidia::Opener> of_no_job(std::vector<nvidia::Opener> openers, const JobPids* pids, bool whole) {
  std::erase_if(openers,
                [&](const nvidia::Opener& one) { return !is_of_no_job(as_process(one), pids, whole); });
  return openers;
}

std::string unowned_text(const std::vector<nvidia::Opener>& openers, const JobPids* pids, bool whole) {
  const nvidia::Opener* first = nullptr;
  std::size_t count = 0;
  for (const nvidia::Opener& one : openers) {
    const bool of_job = pids && pids->jobs.contains(one.pid);
    if (of_job || is_of_no_job(as_process(one), pids, whole)) continue;
    if (count++ == 0) first = &one;
  }
  if (first == nullptr) return {};
  const GpuProcess process = as_process(*first);
  std::string name = plan::called(process);
  if (!program_of(process).empty()) name += fmt::format(" ({})", first->pid);
  if (count == 1) return fmt::format("{} has GPUs open, and whether it is of a job is not known", name);
  return fmt::format("{} and {} more have GPUs open, and whether they are of a job is not known", name,
                     count - 1);
}

void name_jobs(Measured& told, const JobPids& pids, const JobNumbers& numbers, bool whole) {
  for (GpuFigures& gpu : told.gpus) {
    if (!gpu.processes) continue;
    for (GpuProcess& process : *gpu.processes) {
      const auto found = pids.jobs.find(process.pid);
      if (found == pids.jobs.end()) {
        if (is_left_out(process.pid, &pids, whole)) process.workload = WorkloadId(std::string(kNoWorkload));
        continue;
      }
      const auto other = numbers.find(found->second);
      process.workload = other == numbers.end() ? WorkloadId(found->second) : other->second;
    }
  }
}

}  // namespace tessera::slurm
