// Which processes have a node's GPUs open, and whose they are: asked of one node, while a user looks at one
// of its GPUs.
//
// The driver is asked as every look asks it, and /proc who else has the devices open; before and after it
// Slurm on that node for the processes that it has started (scontrol listpids, which asks no controller):
// what begins or ends meanwhile is in one of them. One node at a time, with a pause behind each; of those
// that wait the last counts. Threads: the worker's thread only; answers come there, never from inside look().
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backends/nvidia/openers.hpp"
#include "backends/slurm/change/look.hpp"
#include "backends/slurm/change/process_owners.hpp"
#include "backends/slurm/parse/parse_pids.hpp"
#include "backends/worker.hpp"
#include "engine/model/telemetry.hpp"

namespace tessera::slurm {

// Adds those that the driver does not list, first of their GPU. openers: of no job (of_no_job).
void add_openers(Measured& told, const std::vector<nvidia::Opener>& openers, const BoardMinors& minors);

// A GPU or instance that Slurm calls free, and that is in use by its figures: something runs there that has
// no allocation. listed: as scontrol told it, before a driver's GPUs were laid over it.
bool uses_what_is_free(const Node& listed, const Measured& measured);

struct ProcessesTold {
  Measured measured;  // whose the processes are is not in it yet
  Result<JobPids> jobs;
  Result<std::vector<nvidia::Opener>> openers;  // not in `measured` either
  BoardMinors minors;                           // by which they name GPUs
};

// What of that is missing, and why, a remark each: that nobody names the owners says nothing of GPUs whose
// driver hides their processes.
std::vector<Remark> remarks_on(const NodeName& node, const ProcessesTold& told);

class NodeProcesses {
 public:
  // Both outlive it.
  NodeProcesses(Worker& worker, Eyes& eyes) : worker_(worker), eyes_(eyes) {}

  using Told = std::function<void(const NodeName& node, Result<ProcessesTold>)>;
  // Precondition: ssh or a command of the site leads to the nodes; srun would start a job for each question.
  // Nothing is asked of a node that was asked moments ago: `told` is not called then.
  void look(const NodeName& node, Told told);
  // Nothing is under way, and none waits: a look would begin at once.
  bool idle() const { return !now_ && !resting_; }

 private:
  struct Wanted {
    NodeName node;
    Told told;
  };
  void begin(Wanted wanted);
  void ask_before();
  void next_question();
  void ask_openers(std::function<void(Result<std::vector<nvidia::Opener>>)> then);
  void read_driver();
  void ask_use(std::shared_ptr<Measured> measured);
  void ask_after(std::shared_ptr<Measured> measured);
  void ask_jobs(std::function<void(Result<JobPids>)> then);
  void end(Result<ProcessesTold> result);
  NodeCommand there(std::vector<std::string> argv) const;

  Worker& worker_;
  Eyes& eyes_;
  std::optional<Wanted> now_, waiting_;
  bool resting_ = false;
  std::vector<std::string> answers_;
  Result<JobPids> before_{JobPids{}};
  std::map<NodeName, std::chrono::steady_clock::time_point> asked_;
  std::set<NodeName> fit_;  // commands there run outside of jobs and containers, by ssh as root
};

}  // namespace tessera::slurm
