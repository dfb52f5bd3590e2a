// What the drivers of nodes measure beside their GPUs: processes and whose they are, and how the driver
// counts.
#include <algorithm>
#include <utility>

#include "backends/slurm/backend_state.hpp"
#include "engine/insight/processes.hpp"

namespace tessera::slurm {
namespace {

// Of these alone it is certain that a process that Slurm does not list is none of its own: others follow
// parents or process groups, which a program can leave.
bool tracks_all(const std::string& config) {
  return config_value(config, "ProctrackType").find("cgroup") != std::string::npos;
}

}  // namespace

void SlurmBackend::State::look_at_processes(const NodeName& node) {
  const slurmconf::Reach reach = options.said.reach;
  if (reach == slurmconf::Reach::none || reach == slurmconf::Reach::srun) return;
  const auto listed =
      std::find_if(last_nodes.begin(), last_nodes.end(), [&](const Node& one) { return one.name == node; });
  if (listed == last_nodes.end() || (listed->gpus.empty() && listed->pool.empty())) return;
  actuator.processes().look(node, [this](const NodeName& asked, Result<ProcessesTold> told) {
    take_processes(asked, std::move(told));
  });
}

void SlurmBackend::State::take_processes(const NodeName& node, Result<ProcessesTold> told) {
  process_remarks.erase(node);
  if (!told) {
    process_remarks.insert({node, insight::untold_processes(node, told.error())});
    return post_board_remarks();
  }
  const JobPids* pids = told->jobs ? &*told->jobs : nullptr;
  if (!pids)
    process_remarks.insert({node, insight::untold_owners(node, to_line(told->jobs.error()))});
  else if (!pids->complete)
    process_remarks.insert({node, insight::untold_owners(node, pids->missing)});
  take_measured(std::move(told->measured), pids);
  post_board_remarks();
}

void SlurmBackend::State::take_measured(Measured measured, const JobPids* pids) {
  if (pids)
    name_jobs(measured, *pids, job_numbers,
              tracks_all(shown.config) && lists_all(*pids, job_numbers, last_jobs, measured.node));
  post(std::move(measured));
}

void SlurmBackend::State::post_board_remarks() {
  std::vector<Remark> all = actuator.board_remarks(last_nodes);
  for (const auto& [node, remark] : process_remarks) all.push_back(remark);
  if (std::exchange(board_remarks, all) != all) post(RemarksListed{Source::nvidia_smi, std::move(all)});
}

}  // namespace tessera::slurm
