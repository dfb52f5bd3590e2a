// The way to Slurm's controllers: one call at a time, whoever asks, and every one counted.
//
// The reader's rounds, the looks of runs and their changes wait here for each other, so that tessera is never
// more than one client at a time. What a run has to change goes before looks that wait.
// Threads: the worker's thread only; answers come there, never from inside run().
#pragma once

#include <deque>

#include "backends/process.hpp"
#include "backends/slurm/pace.hpp"

namespace tessera::slurm {

class Calls {
 public:
  // Both outlive it.
  Calls(Processes& processes, Pacer& pacer) : processes_(processes), pacer_(pacer) {}

  enum class Kind : std::uint8_t { look, change };
  // A command's deadline counts from when it is started.
  void run(Command command, Processes::Finished finished, Kind kind = Kind::look);

 private:
  struct Waiting {
    Command command;
    Processes::Finished finished;
  };
  void next();

  Processes& processes_;
  Pacer& pacer_;
  std::deque<Waiting> looks_, changes_;
  bool under_way_ = false;
};

}  // namespace tessera::slurm
