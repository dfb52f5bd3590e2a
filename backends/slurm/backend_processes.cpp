// What the drivers of nodes measure beside their GPUs: processes and whose they are, and how the driver
// counts.
#include <algorithm>
#include <utility>

#include "backends/slurm/backend_state.hpp"
#include "engine/insight/processes.hpp"

namespace tessera::slurm {
namespace {

constexpr auto kOpenersStand = std::chrono::minutes(2);

// What has a GPU open and is listed neither with the jobs' nor as of none.
std::optional<Remark> unowned(const NodeName& node, const ProcessesTold& told, const JobPids* pids,
                              bool whole) {
  std::vector<nvidia::Opener> unlisted = *told.openers;  // what the driver lists has a line of its own
  for (const GpuFigures& gpu : told.measured.gpus)
    for (const GpuProcess& process : gpu.processes.value_or(std::vector<GpuProcess>()))
      std::erase_if(unlisted, [&](const nvidia::Opener& one) { return one.pid == process.pid; });
  std::string text = unowned_text(unlisted, pids, whole);
  if (text.empty()) return std::nullopt;
  Remark remark = insight::untold_openers(node, Error{"", std::move(text), ""});
  remark.hint =
      "scontrol listpids must answer on the node, as root, and ProctrackType be proctrack/cgroup, which "
      "follows each process of a job";
  return remark;
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

// What figures alone cannot name. One node at a time, and the same one again only after a while.
void SlurmBackend::State::look_at_strangers(const Measured& measured) {
  const auto listed = std::find_if(last_nodes.begin(), last_nodes.end(),
                                   [&](const Node& one) { return one.name == measured.node; });
  if (listed == last_nodes.end() || !uses_what_is_free(*listed, measured)) return;
  const auto now = Steady::now();
  const auto before = suspected.find(measured.node);
  if (!actuator.processes().idle() || (before != suspected.end() && now - before->second < kSeldom)) return;
  suspected[measured.node] = now;
  look_at_processes(measured.node);
}

void SlurmBackend::State::take_processes(const NodeName& node, Result<ProcessesTold> told) {
  process_remarks.erase(node);
  if (!told) {
    process_remarks[node] = {Steady::now(), {insight::untold_processes(node, told.error())}};
    return post_board_remarks();
  }
  std::vector<Remark> untold = remarks_on(node, *told);
  const JobPids* pids = told->jobs ? &*told->jobs : nullptr;
  const bool whole = tells_all(node, pids);
  if (told->openers) {
    if (auto remark = unowned(node, *told, pids, whole)) untold.push_back(std::move(*remark));
    openers[node] = {Steady::now(), of_no_job(std::move(*told->openers), pids, whole),
                     std::move(told->minors)};
  } else {
    openers.erase(node);
  }
  if (!untold.empty()) process_remarks[node] = {Steady::now(), std::move(untold)};
  take_measured(std::move(told->measured), pids);
  post_board_remarks();
}

// A process that is not in the list is of no job.
bool SlurmBackend::State::tells_all(const NodeName& node, const JobPids* pids) const {
  return pids && is_whole(shown.config, *pids, job_numbers, last_jobs, node);
}

void SlurmBackend::State::take_measured(Measured measured, const JobPids* pids) {
  if (pids) name_jobs(measured, *pids, job_numbers, tells_all(measured.node, pids));
  // What the driver lists comes more often, and without them.
  std::erase_if(openers, [](const auto& one) { return Steady::now() - one.second.at >= kOpenersStand; });
  if (const auto found = openers.find(measured.node); found != openers.end())
    add_openers(measured, found->second.list, found->second.minors);
  post(std::move(measured));
}

// Slurm's list with the drivers' GPUs, and of their instances whose an exporter names.
void SlurmBackend::State::lay_boards(std::vector<Node>& nodes) {
  actuator.lay_known_boards(nodes);
  const auto now = Steady::now();
  const Duration stand = std::max(kNamesStand, exporters ? 2 * exporters->round() : Duration(0));
  named_jobs->forget_older(now, stand);
  if (!named_jobs->any()) return;
  for (Node& node : nodes) number_parts(node, named_jobs->of(node.name, now, stand), last_jobs, job_numbers);
}

void SlurmBackend::State::post_board_remarks() {
  std::vector<Remark> all = actuator.board_remarks(last_nodes);
  // A page that was left long ago asks no more, and what failed then says nothing of now.
  std::erase_if(process_remarks, [](const auto& one) { return Steady::now() - one.second.at >= kSeldom; });
  for (const auto& [node, untold] : process_remarks)
    all.insert(all.end(), untold.remarks.begin(), untold.remarks.end());
  if (std::exchange(board_remarks, all) != all) post(RemarksListed{Source::nvidia_smi, std::move(all)});
}

}  // namespace tessera::slurm
