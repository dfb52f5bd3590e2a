#include "backends/slurm/change/node_processes.hpp"

#include <algorithm>
#include <utility>

#include "backends/nvidia/commands.hpp"
#include "backends/nvidia/node_figures.hpp"
#include "engine/insight/processes.hpp"
#include "engine/model/processes.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

using Steady = std::chrono::steady_clock;

constexpr auto kFresh = std::chrono::seconds(30);  // for which a node is not asked again
constexpr auto kGap = std::chrono::seconds(3);     // between two looks
constexpr float kUsedFrom = 1;                     // percent
constexpr Mib kMemoryFrom{4096};                   // more than a driver and its services keep
constexpr std::size_t kQuestions = 4;

nvidia::Argv question(std::size_t number) {
  switch (number) {
    case 0: return nvidia::list_gpus();
    case 1: return nvidia::query();
    case 2: return nvidia::list_instances();
    default: return nvidia::list_compute();
  }
}

Error unseen(const NodeName& node, std::string reason, std::string hint = "") {
  return {"cannot read which processes have GPUs of " + clean(node.text, 64) + " open", std::move(reason),
          std::move(hint)};
}

// Processes of a container are numbered by itself, and in a job's cgroup GPUs are hidden. A site's own way
// may lead out of its container again.
std::optional<Error> in_the_way(const Preflight& found, slurmconf::Reach reach, const NodeName& node) {
  Preflight seen = found;
  if (reach != slurmconf::Reach::ssh) seen.uid = 0, seen.contained = false;
  const std::vector<Error> against = objections(seen, node);
  if (against.empty()) return std::nullopt;
  return unseen(node, to_line({against.front().what, against.front().reason, ""}), against.front().hint);
}

// Of a GPU that is cut the driver tells processes in any case.
std::vector<GpuIndex> gpus_of_hidden(const Measured& told) {
  std::vector<GpuIndex> all;
  for (const GpuFigures& gpu : told.gpus)
    if (!gpu.processes && nvidia::memory_of_none(gpu, false)) all.push_back(gpu.gpu);
  return all;
}

}  // namespace

std::vector<Remark> remarks_on(const NodeName& node, const ProcessesTold& told) {
  std::vector<Remark> all;
  if (!told.jobs)
    all.push_back(insight::untold_owners(node, to_line(told.jobs.error())));
  else if (!told.jobs->complete)
    all.push_back(insight::untold_owners(node, told.jobs->missing));
  if (!told.openers) all.push_back(insight::untold_openers(node, told.openers.error()));
  if (const auto hidden = gpus_of_hidden(told.measured); !hidden.empty())
    all.push_back(insight::hidden_processes(node, hidden));
  return all;
}

bool uses_what_is_free(const Node& listed, const Measured& measured) {
  const auto is_free = [](const Slice& slice) { return slice.told_held == false; };
  const auto is_used = [](const auto& figures) {
    return (figures.use && figures.use->value >= kUsedFrom) ||
           (figures.memory_used && *figures.memory_used >= kMemoryFrom);
  };
  // Of instances Slurm tells how many are held, and not which.
  const bool pool_free = !listed.pool.empty() && std::all_of(listed.pool.begin(), listed.pool.end(), is_free);
  for (const GpuFigures& figures : measured.gpus) {
    if (pool_free && std::any_of(figures.slices.begin(), figures.slices.end(), is_used)) return true;
    for (const Gpu& gpu : listed.gpus) {
      const bool whole = listed.pool.empty() && figures.slices.empty() && gpu.index == figures.gpu;
      if (whole && is_used(figures.figures) && std::all_of(gpu.slices.begin(), gpu.slices.end(), is_free))
        return true;
    }
  }
  return false;
}

void add_openers(Measured& told, const std::vector<nvidia::Opener>& openers, const BoardMinors& minors) {
  for (GpuFigures& gpu : told.gpus) {
    const auto place = static_cast<std::size_t>(gpu.gpu.value);
    const std::optional<int> minor = place < minors.size() ? minors[place] : std::nullopt;
    if (!gpu.processes || !minor) continue;
    std::vector<GpuProcess> added, servers;
    for (const nvidia::Opener& one : openers) {
      const bool listed = std::any_of(gpu.processes->begin(), gpu.processes->end(),
                                      [&](const GpuProcess& other) { return other.pid == one.pid; });
      GpuProcess process = as_process(one);
      if (!one.minors.contains(*minor) || listed) continue;
      // A server that the driver does not list serves none of those that would stand behind it.
      (is_mps_server(process) ? servers : added).push_back(std::move(process));
    }
    gpu.processes->insert(gpu.processes->begin(), std::make_move_iterator(added.begin()),
                          std::make_move_iterator(added.end()));
    gpu.processes->insert(gpu.processes->end(), std::make_move_iterator(servers.begin()),
                          std::make_move_iterator(servers.end()));
  }
}

NodeCommand NodeProcesses::there(std::vector<std::string> argv) const {
  NodeCommand command;
  command.node = now_->node;
  command.argv = std::move(argv);
  command.deadline = eyes_.said.look_deadline;
  command.output_limit = kMostOfProcesses;
  return command;
}

void NodeProcesses::look(const NodeName& node, Told told) {
  const auto before = asked_.find(node);
  if (before != asked_.end() && Steady::now() - before->second < kFresh) return;
  if (now_ && now_->node == node) return;
  if (now_ || resting_)
    waiting_ = Wanted{node, std::move(told)};
  else
    begin({node, std::move(told)});
}

void NodeProcesses::begin(Wanted wanted) {
  now_ = std::move(wanted);
  answers_.clear();
  asked_[now_->node] = Steady::now();
  if (fit_.contains(now_->node)) return ask_before();
  eyes_.runner.preflight(there({}), [this](const Result<Preflight>& found) {
    if (!found)
      return end(
          unseen(now_->node, to_line({found.error().what, found.error().reason, ""}), found.error().hint));
    if (auto against = in_the_way(*found, eyes_.said.reach, now_->node)) return end(std::move(*against));
    fit_.insert(now_->node);
    ask_before();
  });
}

void NodeProcesses::ask_before() {
  ask_jobs([this](Result<JobPids> jobs) {
    before_ = std::move(jobs);
    next_question();
  });
}

void NodeProcesses::next_question() {
  eyes_.runner.run(there(question(answers_.size())), [this](Result<NodeAnswer> answer) {
    if (!answer)
      return end(
          unseen(now_->node, to_line({answer.error().what, answer.error().reason, ""}), answer.error().hint));
    // The words decide, as in every look: what is not there has an exit code of its own.
    std::string text = std::move(answer->out);
    if (answer->exit_code != 0 && text.empty()) text = std::move(answer->err);
    answers_.push_back(std::move(text));
    if (answers_.size() < kQuestions) return next_question();
    read_driver();
  });
}

void NodeProcesses::read_driver() {
  auto looked =
      nvidia::node_gpus({answers_[0], answers_[1], answers_[2], answers_[3]}, eyes_.catalogue, eyes_.clock());
  if (!looked) return end(unseen(now_->node, to_line({looked.error().what, looked.error().reason, ""})));
  eyes_.order[now_->node] = minors_of(*looked);
  auto measured = std::make_shared<Measured>(nvidia::take_measured(now_->node, *looked, eyes_.clock()));
  if (nvidia::shares_a_gpu(*measured)) return ask_use(std::move(measured));
  ask_after(std::move(measured));
}

// A driver that does not tell it leaves the use of each unknown; all else stands.
void NodeProcesses::ask_use(std::shared_ptr<Measured> measured) {
  eyes_.runner.run(there(nvidia::process_use()), [this, measured](const Result<NodeAnswer>& answer) {
    if (answer && answer->exit_code == 0)
      if (const auto use = nvidia::parse_process_use(answer->out)) nvidia::put_use(*measured, *use);
    ask_after(measured);
  });
}

void NodeProcesses::ask_after(std::shared_ptr<Measured> measured) {
  ask_openers([this, measured = std::move(measured)](Result<std::vector<nvidia::Opener>> openers) {
    ask_jobs([this, measured, openers = std::move(openers)](Result<JobPids> after) {
      end(ProcessesTold{std::move(*measured), both(std::move(before_), std::move(after)), openers,
                        eyes_.order[now_->node]});
    });
  });
}

void NodeProcesses::ask_openers(std::function<void(Result<std::vector<nvidia::Opener>>)> then) {
  eyes_.runner.run(there(nvidia::list_openers()), [then = std::move(then)](Result<NodeAnswer> answer) {
    then(answer ? nvidia::parse_openers(answer->out, answer->err, answer->exit_code)
                : Result<std::vector<nvidia::Opener>>(answer.error()));
  });
}

void NodeProcesses::ask_jobs(std::function<void(Result<JobPids>)> then) {
  eyes_.runner.run(there(list_pids(now_->node)), [then = std::move(then)](Result<NodeAnswer> answer) {
    then(answer ? parse_pids(answer->out, answer->err, answer->exit_code) : Result<JobPids>(answer.error()));
  });
}

void NodeProcesses::end(Result<ProcessesTold> result) {
  const std::optional<Wanted> done = std::exchange(now_, std::nullopt);
  resting_ = true;
  worker_.after(std::chrono::duration_cast<Duration>(kGap), [this] {
    resting_ = false;
    if (auto next = std::exchange(waiting_, std::nullopt)) look(next->node, std::move(next->told));
  });
  done->told(done->node, std::move(result));
}

}  // namespace tessera::slurm
