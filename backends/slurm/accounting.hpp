// What slurmdbd keeps of the jobs of some days: asked for on request alone, a day of UTC at a time.
//
// Each call waits for the one before it and has a deadline and a bound on its output; slurmctld is asked for
// nothing. Days that are over are taken from the cache where that can still be right. Threads: blocks the
// calling thread.
#pragma once

#include <functional>
#include <string>

#include "backends/slurm/commands.hpp"
#include "engine/usage/past_jobs.hpp"

namespace tessera::slurm {

struct AccountingAsker {
  std::string user;  // whom slurmdbd knows us as
  unsigned uid = 0;
};

struct AccountingQuestion {
  ClusterName cluster;
  TimePoint from{}, to{};
  TimePoint now{};                  // when it is asked
  std::string cache;                // the folder; empty: nothing is kept
  bool ask_again = false;           // what is kept is replaced, and not read
  std::function<bool()> stopped{};  // whoever asked has given up: the call is ended; empty: never
};

// The jobs that waited or ran in [from, to]. Errors: accounting is off, slurmdbd does not answer, it tells
// this user of own jobs alone, or an answer could not be read: a part of the truth is none.
Result<usage::PastJobs> read_accounting(const SlurmClient& site, const AccountingAsker& who,
                                        const AccountingQuestion& question);

}  // namespace tessera::slurm
