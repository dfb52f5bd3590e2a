// What a source that keeps figures, Prometheus, tells of some days: rounds as a recording has them, in which
// GPUs and slices are held by the pods and jobs that its series name. It knows no users, and nothing of what
// waits or is free. Threads: as a recording.
#pragma once

#include <cstddef>
#include <set>
#include <string>

#include "engine/record/recording.hpp"
#include "engine/usage/asking_cost.hpp"

namespace tessera::usage {

struct KeptTold {
  Duration step{};          // between two values
  bool names_work = false;  // some series names a pod or a job
  // Of several clusters those of which none does, though something was measured there.
  std::set<ClusterName> nameless;
  // Hours of GPUs and slices for which none is named: free, or not told. Of several clusters those of
  // `nameless` are left out, where another's series name any.
  double unnamed = 0;
  double shared = 0;        // hours of instances for which several are named: not counted for any of them
  std::size_t strange = 0;  // series of nodes that are not known
  std::size_t skipped = 0;  // ... that could not be read
  std::string problem;      // of the first of those
  AskingCost cost;          // commands: requests
};

class KeptUse : public record::Recording {
 public:
  // What tells of jobs does not tell their partitions. Nothing is asked for it.
  virtual Scheduler scheduler() const = 0;
  // Of what was read since the last call of rounds() began.
  virtual const KeptTold& told() const = 0;
  // From now on what nobody is named for counts as held by a workload without a name: where no series names
  // any, what was used is known all the same.
  virtual void count_unnamed() = 0;
};

}  // namespace tessera::usage
