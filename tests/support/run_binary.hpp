// Runs the real tessera without a terminal and keeps what it said.
// Threads: one call at a time a test.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/support/patience.hpp"

namespace tessera::test {

struct Ran {
  int code = -1;    // exit code; 128 + n when signal n ended it
  std::string out;  // standard output
  std::string err;  // standard error
};

struct RunOptions {
  // The whole environment; PATH is an empty folder unless set, so that nothing of the machine is found.
  std::map<std::string, std::string> environment;
  std::string program;  // another one than tessera: "/usr/bin/kubectl"
  std::string input;
  std::chrono::seconds deadline = kPatience;  // then it is killed and the code is 128 + 9
  // Called with all output so far; true: close our end of its standard output and wait for its end.
  std::function<bool(const std::string&)> hang_up;
  // Called with all output so far; a number other than 0 is sent as a signal, once.
  std::function<int(const std::string&)> signal;
  std::function<int(const std::string&)> signal_on_err;  // the same with all that it said on standard error
  std::function<int()> signal_by_look;  // the same, asked twenty times a second: for what only files tell
};

Ran run_tessera(const std::vector<std::string>& arguments, const RunOptions& options = {});
// tessera-sim instead.
Ran run_simulator(const std::vector<std::string>& arguments, RunOptions options = {});

// A folder that is removed at the end.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }
  // Writes a file below it, making folders as needed, and returns its path.
  std::string write(const std::string& name, const std::string& text) const;

 private:
  std::string path_;
};

}  // namespace tessera::test
