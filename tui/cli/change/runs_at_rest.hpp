// Runs that are parked or were killed, read from their journals and judged as a timer would.
// Threads: the calling thread. Reading lets events in: pointers into the model do not outlive it.
#pragma once

#include <optional>
#include <vector>

#include "tui/cli/change/due.hpp"
#include "tui/cli/change/runs_list.hpp"

namespace tessera::cli {

struct RunAtRest {
  RunHead head;
  bool killed = false;              // one that a timer carries on, too
  std::optional<Followed> known{};  // nullopt: its journal cannot be read
  const plan::Run* run() const { return known ? &*known->run() : nullptr; }  // null: as `known`
};

// All of them before one is judged: what has failed in one may hold another, so that it is noted in `failed`.
// takes_up: which of those that were killed are among them; empty: none.
std::vector<RunAtRest> runs_at_rest(OpenClusters& clusters, const Options& options,
                                    const std::vector<RunHead>& runs, const TakesUp& takes_up,
                                    FailedNodes& failed);

// As judge() of due.hpp says, at its cluster's time.
Judged judge(const RunAtRest& one, const OpenClusters& clusters, std::optional<NotCarriedOn> why_not);

}  // namespace tessera::cli
