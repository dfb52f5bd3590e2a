// Runs a program from an argument vector: no shell, own process group, a deadline, capped output.
//
// The only user of Boost.Process. The child gets no stray descriptors and default SIGPIPE; at the deadline
// or on cancel its whole group is killed, so that grandchildren cannot hold the pipe.
// Threads: run() is called on the worker's thread and calls back there, exactly once.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/worker.hpp"
#include "engine/error.hpp"

namespace tessera {

struct Command {
  std::vector<std::string> argv;                   // argv[0] is searched in PATH
  std::map<std::string, std::string> environment;  // set on top of ours
  std::vector<std::string> unset;                  // taken out of ours
  std::string input;                               // written to its stdin, then closed
  Duration deadline{10000};
  std::size_t output_limit = 256u << 20;  // bytes of stdout; more is an error
};

struct Outcome {
  int exit_code = -1;  // valid when signal == 0
  int signal = 0;      // the child was ended by this signal
  bool timed_out = false;
  bool truncated = false;  // output_limit was reached
  std::string out;
  std::string err;  // first 64 KiB
  Duration took{0};
};

// The command as an admin could type it: quoted for a POSIX shell, for display and copying only.
std::string to_shell_text(const Command& command);

class Processes {
 public:
  explicit Processes(Worker& worker);
  ~Processes();                                           // kills what still runs
  using Finished = std::function<void(Result<Outcome>)>;  // Error: could not be started at all
  void run(Command command, Finished finished);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera
