// Runs a command on a node: by ssh, by srun inside a reservation, or by the site's own way.
//
// An answer is what the command said there, with its exit code, well or not; an Error means that it cannot be
// known whether it ran, or that it did not, in the far side's words. At its deadline what only reads is ended
// there, too, by timeout(1) of coreutils; what changes something goes on there, except by srun, whose job is
// cancelled: it would hold the node, and the next attempt must not meet it. ssh(1) of OpenSSH 8 and
// later; srun(1) 22.05 to 24.11. Threads: everything on the worker's thread, as Processes; answers come
// there, exactly once, never from inside.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "backends/process.hpp"
#include "backends/ssh_connections.hpp"
#include "engine/model/units.hpp"
#include "engine/slurmconf/slurm_setup.hpp"

namespace tessera {

struct RunnerOptions {
  slurmconf::Reach reach = slurmconf::Reach::none;
  // Reach::custom: {node} in any word stands for the node's name. The command follows word by word, which is
  // tried once on each node before anything else is run there, or, where {command} stands, as one text quoted
  // for a POSIX shell.
  std::vector<std::string> custom;
  std::vector<std::string> become;  // before every command there: {"sudo", "-n"}
  std::string login;                // ssh: as whom; empty: as ssh's own configuration says
  std::string slurm_conf;           // srun: SLURM_CONF; empty: as it is
  std::string slurm_bin;            // folder of srun; empty: PATH
  Duration patience{5000};          // for a connection or an allocation
};

struct NodeCommand {
  NodeName node;
  std::vector<std::string> argv;
  std::string input;                 // for its stdin
  std::string reservation;           // srun: the one that holds the node for us
  std::string job;                   // srun: a name for its job by which it is found again; empty: "tessera"
  std::vector<std::string> sharing;  // ssh: options by which it shares a connection; none: one of its own
  Duration deadline{30000};          // from start to end, the connection included; a look: 3 s more at most
  bool changes = false;              // it is ended neither with us nor, on the node, by its deadline
  std::size_t output_limit = 32u << 20;
};

struct NodeAnswer {
  int exit_code = 0;
  std::string out;
  std::string err;  // without what ssh and srun say themselves
  Duration took{0};
};

// Whether a name can be a host's: it cannot be an option, a list of hosts or a part of a command.
bool is_host_name(std::string_view name);

// What is run here for it. Errors: no way to the node is set up, or a name or word that no argument can
// carry.
Result<Command> command_on(const RunnerOptions& options, const NodeCommand& wanted);
// What came of it.
Result<NodeAnswer> judge(const RunnerOptions& options, const NodeCommand& wanted, Outcome outcome);

// As whom and where commands run on a node.
struct Preflight {
  int uid = 0;
  std::string cgroup;              // the first line that tells something, as /proc/self/cgroup has it
  std::optional<std::string> job;  // id of the Slurm job whose cgroup it is
  bool contained = false;          // inside a container
};
Result<Preflight> parse_preflight(std::string_view id, std::string_view cgroup);
// What speaks against changing GPUs from there, each with what to do about it; empty: nothing.
std::vector<Error> objections(const Preflight& preflight, const NodeName& node);

class NodeRunner {
 public:
  // Told of each command as it is started, then of what came of it. It outlives what is run.
  struct Counted {
    std::function<void(const NodeCommand&)> started;
    std::function<void(const NodeCommand&, const Outcome&)> ended;
  };
  // Both must outlive it and what it runs. connections: for Reach::ssh; null: one for each command.
  NodeRunner(Processes& processes, RunnerOptions options, SshConnections* connections = nullptr,
             Counted counted = {})
      : processes_(processes),
        options_(std::move(options)),
        connections_(connections),
        counted_(std::move(counted)) {}

  using Finished = std::function<void(Result<NodeAnswer>)>;
  void run(NodeCommand wanted, Finished finished);
  using Looked = std::function<void(Result<Preflight>)>;
  // Two short commands there; changes nothing. `like` gives node, reservation and deadline.
  void preflight(NodeCommand like, Looked looked);
  const RunnerOptions& options() const { return options_; }

 private:
  void start(NodeCommand wanted, Finished finished);
  void start_shared(NodeCommand wanted, Finished finished);
  void start_now(NodeCommand wanted, Finished finished);
  std::string next_job();
  Processes& processes_;
  RunnerOptions options_;
  SshConnections* connections_;
  Counted counted_;
  std::uint64_t jobs_ = 0;
  // Reach::custom without {command}: nodes that got words as they are. Copies of a runner share it.
  std::shared_ptr<std::set<std::string>> faithful_ = std::make_shared<std::set<std::string>>();
};

// Which jobs have that name, and the end of one of them; by the commands beside srun.
Command jobs_named(const RunnerOptions& options, const std::string& name);
Command cancel_job(const RunnerOptions& options, const std::string& id);

}  // namespace tessera
