// The way to Slurm's controllers: one call at a time, whoever asks, and every one counted.
//
// The reader's rounds, the looks of runs and their changes wait here for each other, so that tessera is never
// more than one client at a time. What a run has to change goes before looks that wait, and nodes that wait
// for the same change share one call. Threads: the worker's thread only; answers come there, never from
// inside run().
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

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
  // A change of a node that scontrol makes for several in one call ("NodeName=n1,n2"); `make` is given their
  // names. Where that call fails, each has a call of its own, so that each is told what is wrong with it.
  using Make = std::function<Command(const std::string& nodes)>;
  void change_node(const std::string& node, Make make, Processes::Finished finished);
  // A change of the whole cluster: whoever asks before it has begun is told how it went.
  void change_all(Command command, Processes::Finished finished);

 private:
  struct Asked {
    std::string node;  // empty: no matter
    Processes::Finished finished;
  };
  struct Waiting {
    Command command;  // for the first
    std::vector<Asked> asked;
    Make make;           // for several nodes; empty: each has its own
    bool joins = false;  // others may still join
  };
  void next();
  void ended(Waiting& call, const Result<Outcome>& outcome);

  Processes& processes_;
  Pacer& pacer_;
  std::deque<Waiting> looks_, changes_;
  bool under_way_ = false;
};

}  // namespace tessera::slurm
