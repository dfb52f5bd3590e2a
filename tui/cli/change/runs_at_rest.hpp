// Runs that are parked or were killed, read from their journals and judged as a timer would.
// Threads: the calling thread. Reading lets events in: pointers into the model do not outlive it.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tui/cli/change/due.hpp"
#include "tui/cli/change/runs_list.hpp"

namespace tessera::cli {

// Journals that a call has read, so that it reads none twice. One counts for as long as its run is listed as
// it was then; whoever takes a run up forgets it.
class KeptJournals {
 public:
  // By its journal, read now where it is not kept; null: it cannot be read.
  std::shared_ptr<const Followed> of(OpenClusters& clusters, const Options& options, const RunHead& head);
  void forget(const std::string& run) { all_.erase(run); }

 private:
  struct One {
    RunHead head;
    std::shared_ptr<const Followed> known;
  };
  std::map<std::string, One> all_;
};

struct RunAtRest {
  RunHead head;
  bool killed = false;                      // one that a timer carries on, too
  std::shared_ptr<const Followed> known{};  // null: its journal cannot be read
  const plan::Run* run() const { return known ? &*known->run() : nullptr; }  // null: as `known`
};

// All of them before one is judged: what has failed in one may hold another, so that it is noted in `failed`.
// takes_up: which of those that were killed are among them; empty: none.
std::vector<RunAtRest> runs_at_rest(OpenClusters& clusters, const Options& options,
                                    const std::vector<RunHead>& runs, const TakesUp& takes_up,
                                    FailedNodes& failed, KeptJournals& kept);

// As judge() of due.hpp says, at its cluster's time.
Judged judge(const RunAtRest& one, const OpenClusters& clusters, std::optional<NotCarriedOn> why_not);

}  // namespace tessera::cli
