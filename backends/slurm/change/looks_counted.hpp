// What looks at nodes cost, and when they were answered last: commands that read a node's driver, and those
// that read Slurm's files on a config host. What changes something is a run's and counts for neither.
// Threads: the worker's thread only.
#pragma once

#include <functional>
#include <map>
#include <optional>

#include "backends/meter.hpp"
#include "backends/runner.hpp"
#include "engine/model/event.hpp"

namespace tessera::slurm {

class LooksCounted {
 public:
  // host: where Slurm's files are; empty: here.
  LooksCounted(NodeName host, std::function<TimePoint()> clock);

  // For a runner that this outlives.
  NodeRunner::Counted counts();

  struct Answered {
    TimePoint at{};
    Duration latency{0};
  };
  // nullopt: no look was answered yet.
  std::optional<Answered> answered(Source source) const;
  std::optional<SourceCost> cost(Source source);

 private:
  Source source_of(const NodeCommand& command) const;
  NodeName host_;
  std::function<TimePoint()> clock_;
  Meter meter_;
  std::map<Source, Answered> answered_;
};

}  // namespace tessera::slurm
