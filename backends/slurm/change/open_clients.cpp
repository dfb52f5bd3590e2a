#include "backends/slurm/change/open_clients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <variant>

#include "backends/slurm/change/process_owners.hpp"
#include "engine/model/processes.hpp"
#include "engine/plan/effect/gpu_clients.hpp"
#include "engine/plan/steps/steps.hpp"
#include "engine/text.hpp"

namespace tessera::slurm {
namespace {

constexpr std::size_t kMostNamed = 6;

std::vector<GpuIndex> gpus_of(const plan::Action& action) {
  if (const auto* mode = std::get_if<plan::SetMode>(&action)) return mode->gpus;
  if (const auto* reset = std::get_if<plan::ResetGpus>(&action)) return reset->gpus;
  if (const auto* gone = std::get_if<plan::DestroyInstances>(&action)) return {gone->gpu};
  if (const auto* made = std::get_if<plan::CreateInstances>(&action)) return {made->gpu};
  return {};
}

// By N of /dev/nvidiaN: the driver's index. Empty: it is not known for one of them.
std::map<int, GpuIndex> known_files(const std::vector<GpuIndex>& gpus, const BoardMinors& minors) {
  std::map<int, GpuIndex> known;
  for (GpuIndex gpu : gpus) {
    const auto place = static_cast<std::size_t>(gpu.value);
    if (place >= minors.size() || !minors[place]) return {};
    known.emplace(*minors[place], gpu);
  }
  return known;
}

// "GPU 0-1", or the device files where the driver's count is not known; empty: none of these.
std::string opened_text(const nvidia::Opener& one, const std::map<int, GpuIndex>& known) {
  std::vector<GpuIndex> gpus;
  std::string files;
  for (int minor : one.minors) {
    if (const auto gpu = known.find(minor); gpu != known.end()) gpus.push_back(gpu->second);
    files += fmt::format("{}/dev/nvidia{}", files.empty() ? "" : ", ", minor);
  }
  if (known.empty()) return files;
  std::sort(gpus.begin(), gpus.end());
  return gpus.empty() ? "" : plan::boards_text(gpus);
}

std::string_view advice(plan::Bounce bounce) {
  switch (bounce) {
    case plan::Bounce::stopped: return "slurm-stop-clients names it, and it runs all the same";
    case plan::Bounce::maybe: return "whether slurm-stop-clients stops it is not known";
    case plan::Bounce::not_so: break;
  }
  return "stop it, or name it in slurm-stop-clients and slurm-start-clients: a run then stops it and starts "
         "it again";
}

std::string client_text(const nvidia::Opener& one, const std::string& opened, const JobPids* jobs, bool whole,
                        const slurmconf::SlurmSetup& said) {
  const GpuProcess process = as_process(one);
  std::string name = plan::called(process);
  if (!program_of(process).empty()) name += fmt::format(" ({})", one.pid);
  if (is_of_no_job(process, jobs, whole))
    return plan::stranger_text(name, opened, advice(plan::bounce_of(process, &said)));
  const auto job = jobs ? jobs->jobs.find(one.pid) : std::map<std::int64_t, std::string>::const_iterator();
  const bool named = jobs && job != jobs->jobs.end() && !job->second.empty();
  return named ? fmt::format("{} has {} open and is of job {}", name, opened, job->second)
               : fmt::format("{} has {} open, and of which job it is is not known", name, opened);
}

// Only the controller can tell whether that list has all of Slurm's own, and it says more of one of them
// then.
bool hangs_on_whole(const std::vector<nvidia::Opener>& openers, const JobPids* jobs) {
  return of_no_job(openers, jobs, true).size() > of_no_job(openers, jobs, false).size();
}

struct Asking {
  Hands& hands;
  plan::Order order;
  std::string reservation;
  Error refusal;
  std::function<void(Status)> then;

  NodeCommand there(std::vector<std::string> argv) const {
    NodeCommand command;
    command.node = order.node;
    command.argv = std::move(argv);
    command.reservation = reservation;
    command.deadline = hands.eyes.said.look_deadline;
    command.output_limit = kMostOfProcesses;
    return command;
  }
  void end(const std::string& text) {
    refusal.hint = text;
    then(std::move(refusal));
  }
  // What the driver's refusal advises stands before it.
  void end_with(const std::string& text) { end(refusal.hint + (refusal.hint.empty() ? "" : "; ") + text); }
  void end_unknown(const Error& why) { end_with("who has it open is not known: " + why.reason); }
  void tell(const std::vector<nvidia::Opener>& openers, const JobPids* jobs, bool whole) {
    const auto minors = hands.eyes.order.find(order.node);
    const std::string text =
        clients_text(openers, jobs, whole, gpus_of(order.action),
                     minors == hands.eyes.order.end() ? BoardMinors() : minors->second, hands.eyes.said);
    text.empty() ? end_with("no program has it open any more") : end(text);
  }
};

// Fails closed: without the controller's word a job's process may be missing.
bool is_whole_by(const Result<std::shared_ptr<const Census>>& told, const JobPids& jobs,
                 const NodeName& name) {
  const Node* node = told ? (*told)->find(name) : nullptr;
  if (!node) return false;
  const auto work = (*told)->work_on(*node);
  return work && is_whole((*told)->config, jobs, (*told)->jobs ? (*told)->jobs->by_number : JobNumbers(),
                          *work, name);
}

void ask_controller(const std::shared_ptr<Asking>& asking, std::vector<nvidia::Opener> openers,
                    JobPids jobs) {
  CensusTaker::Wanted wanted;
  wanted.jobs = true;
  wanted.reservations = false;
  asking->hands.eyes.census.ask(asking->order.node, wanted,
                                [asking, openers = std::move(openers),
                                 jobs = std::move(jobs)](const Result<std::shared_ptr<const Census>>& told) {
                                  asking->tell(openers, &jobs, is_whole_by(told, jobs, asking->order.node));
                                });
}

void ask_jobs(const std::shared_ptr<Asking>& asking, std::vector<nvidia::Opener> openers) {
  asking->hands.runner.run(asking->there(list_pids(asking->order.node)),
                           [asking, openers = std::move(openers)](const Result<NodeAnswer>& answer) {
                             auto jobs = answer ? parse_pids(answer->out, answer->err, answer->exit_code)
                                                : Result<JobPids>(answer.error());
                             if (jobs && hangs_on_whole(openers, &*jobs))
                               return ask_controller(asking, openers, std::move(*jobs));
                             asking->tell(openers, jobs ? &*jobs : nullptr, false);
                           });
}

}  // namespace

bool is_in_use(const Error& refusal) {
  return contains_folded(refusal.reason, "in use by another client") ||
         contains_folded(refusal.reason, "currently being used by");
}

std::string clients_text(const std::vector<nvidia::Opener>& openers, const JobPids* jobs, bool whole,
                         const std::vector<GpuIndex>& gpus, const BoardMinors& minors,
                         const slurmconf::SlurmSetup& said) {
  const std::map<int, GpuIndex> known = known_files(gpus, minors);
  std::string text;
  std::size_t named = 0;
  for (const nvidia::Opener& one : openers) {
    const std::string opened = opened_text(one, known);
    if (opened.empty() || ++named > kMostNamed) continue;
    text += (text.empty() ? "" : "; ") + client_text(one, opened, jobs, whole, said);
  }
  if (named > kMostNamed) text += fmt::format("; and {} more", named - kMostNamed);
  return text;
}

void name_clients(Hands& hands, const plan::Order& order, const std::string& reservation,
                  std::optional<Error> refusal, std::function<void(Status)> then) {
  if (!refusal) return then(Done{});
  if (!is_in_use(*refusal)) return then(std::move(*refusal));
  auto asking =
      std::make_shared<Asking>(Asking{hands, order, reservation, std::move(*refusal), std::move(then)});
  hands.runner.run(asking->there(nvidia::list_openers()), [asking](const Result<NodeAnswer>& answer) {
    if (!answer) return asking->end_unknown(answer.error());
    auto openers = nvidia::parse_openers(answer->out, answer->err, answer->exit_code);
    if (!openers) return asking->end_unknown(openers.error());
    ask_jobs(asking, std::move(*openers));
  });
}

}  // namespace tessera::slurm
