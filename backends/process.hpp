// Runs a program from an argument vector: no shell, own process group, a deadline, capped output.
//
// The only user of Boost.Process. The child gets no stray descriptors, default signals and, unless told
// otherwise, dies with us. When it ends, reaches its deadline or says too much, its whole group is killed,
// so that grandchildren cannot hold the pipe (unless they are to stay).
// Threads: run() is called on the worker's thread and calls back there, exactly once, never from inside
// run(). The destructor runs on the worker's thread or after Worker::stop().
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/worker.hpp"
#include "engine/error.hpp"

namespace tessera {

struct Command {
  std::vector<std::string> argv;                   // argv[0] is searched in PATH unless it holds a slash
  std::map<std::string, std::string> environment;  // set on top of ours
  std::vector<std::string> unset;                  // taken out of ours
  std::string input;                               // written to its stdin, then closed
  Duration deadline{10000};                        // 0: none
  std::size_t output_limit = 256u << 20;  // bytes of stdout; more ends it, and Outcome::truncated says so
  bool dies_with_us = true;  // false for whatever changes something: it must not be cut off half-way
  // What it has started stays, however it ends: for a command that starts daemons. Its own end counts,
  // whoever still holds its output; at the deadline it alone is killed.
  bool leaves_others = false;
};

struct Outcome {
  int exit_code = -1;  // valid when signal == 0
  int signal = 0;      // the child was ended by this signal
  bool timed_out = false;
  bool truncated = false;  // output_limit was reached
  std::string out;
  std::string err;  // first 64 KiB
  Duration took{0};

  bool succeeded() const { return signal == 0 && exit_code == 0 && !timed_out && !truncated; }
};

// The command as an admin could type it: quoted for a POSIX shell. For display and copying, and for the far
// side of ssh, where a shell cannot be avoided; nothing on this side ever runs it.
std::string to_shell_text(const Command& command);

// Where a program is: `name` itself when it holds a slash, else the first executable in `path`, the value
// of PATH. nullopt: nowhere.
std::optional<std::string> find_program(std::string_view name, std::string_view path);
// In our own PATH.
std::optional<std::string> find_program(std::string_view name);

class Processes {
 public:
  explicit Processes(Worker& worker);
  ~Processes();  // kills what still runs and dies with us; nothing is called back any more
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  using Finished = std::function<void(Result<Outcome>)>;  // Error: could not be started at all
  // Output as it comes, for a program that is listened to while it runs; the Outcome then carries none.
  using Heard = std::function<void(std::string_view text, bool is_error)>;
  using Id = std::uint64_t;
  Id run(Command command, Finished finished, Heard heard = nullptr);
  // Kills its group; Finished still comes. Unknown ids are passed by.
  void end(Id id);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace tessera
