// The command line from its first word to its exit code.
//
// Knows no backend: main.cpp passes in how to open them and how to start the console.
// Threads: everything here runs on the calling thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/insight/acknowledged.hpp"
#include "engine/mig/catalogue.hpp"
#include "engine/plan/run/runs.hpp"
#include "engine/port.hpp"
#include "engine/record/recording.hpp"
#include "engine/usage/kept_use.hpp"
#include "engine/usage/past_jobs.hpp"
#include "tui/cli/options.hpp"
#include "tui/cli/self/self.hpp"
#include "tui/cli/sim.hpp"
#include "tui/cli/streams.hpp"

namespace tessera::cli {

// What was found to look at, or why there is nothing.
struct Opening {
  std::vector<BackendPtr> backends;
  std::optional<Error> failure;
  int exit_code = 0;  // with failure: kUsage or kUnknown
  // The runs on these clusters; with failure the journals alone, or nullptr. Goes before the backends, whose
  // actuators it holds.
  std::unique_ptr<plan::Runs> runs;
};

struct Joins {
  EventSource& events;
  EventSink& sink;
  std::function<Opening(const Options&, const mig::Catalogue&)> open;
  std::function<int(const Options&, const mig::Catalogue&, std::span<const BackendPtr>, plan::Runs*)> console;
  std::function<TimePoint()> wall;
  std::vector<std::string> scenarios;  // names of the shipped ones
  bool has_terminal = false;
  SimJoin sim;      // tessera-sim; empty: this is tessera
  Machine machine;  // for about and doctor --self
  // Where a recorder writes, and what one wrote.
  std::function<Result<std::unique_ptr<record::Tape>>(const std::string&, const ClusterName&, record::Keep)>
      tape = {};
  std::function<Result<std::vector<std::unique_ptr<record::Recording>>>(const std::string&)> recordings = {};
  // Whether whoever asks for the past has given up; empty: never.
  using Stopped = std::function<bool()>;
  // What the scheduler's accounting keeps of the last --since.
  std::function<Result<usage::PastJobs>(const Options&, const Stopped&)> accounting = {};
  // What Prometheus keeps of the clusters here; never empty. Errors: none is set, or it cannot be reached.
  std::function<Result<std::vector<std::unique_ptr<usage::KeptUse>>>(const Options&, const mig::Catalogue&,
                                                                     const Stopped&)>
      kept_use = {};
  // Runs a command of the site's with that text on its standard input, and waits for its end, bounded.
  std::function<Status(const std::vector<std::string>& argv, const std::string& input)> run_command = {};
  // What this user has acknowledged; empty: nothing is kept.
  std::function<Result<std::vector<insight::Acknowledgement>>()> acknowledged = {};
  // The folder for names that completions offer; empty: none.
  std::function<std::string(const Options&)> names = {};
  // The person who asks, as journals name them; may take a moment. Empty: it cannot be found out.
  std::function<std::string()> user = {};
};

// Returns the exit code. arguments without the program's name.
int run(const std::vector<std::string>& arguments, const Environment& environment, const Joins& joins,
        const Streams& streams);

}  // namespace tessera::cli
