// What is asked of Slurm for one job that waits, while a user looks at it: the job itself, its limits, and
// the priorities in its partitions. Three calls, and seldom one or two more, in the same line as all others
// and counted as they are; none where the configuration says that there is nothing to ask for. Threads: the
// worker's thread only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "backends/slurm/calls.hpp"
#include "backends/slurm/commands.hpp"
#include "backends/slurm/parse/parse_cluster.hpp"
#include "backends/worker.hpp"
#include "engine/model/details.hpp"

namespace tessera::slurm {

// The job as it was listed last, and what is known of the cluster beside it.
struct JobLook {
  Workload job;
  ClusterFacts facts;
  std::string partitions;         // as scontrol printed them last
  bool controller_fails = false;  // the last round found nobody: nothing is asked
};

class DetailsReader {
 public:
  using Told = std::function<void(Details)>;
  // All outlive it.
  DetailsReader(Worker& worker, Calls& calls, const SlurmClient& site, std::function<TimePoint()> clock)
      : worker_(worker), calls_(calls), site_(site), clock_(std::move(clock)) {}

  // Answers what the same job was told moments ago with that. While one look is under way, and for some
  // seconds after it, the last job that was asked for waits; those before it are never told of.
  void look(JobLook look, Told told);

 private:
  bool knows(const JobLook& look) const;
  using Took = void (DetailsReader::*)(const Result<Outcome>&);
  void begin(JobLook look, Told told);
  void ask(Teller teller, const Command& command, Took took);
  void take_licences(const Result<Outcome>& result);
  void go_on_with_limits();
  void take_job(const Result<Outcome>& result);
  void take_limits(const Result<Outcome>& result);
  void ask_limits();
  bool needs_qos() const;
  void ask_qos();
  void take_qos(const Result<Outcome>& result);
  void ask_priorities();
  void take_priorities(const Result<Outcome>& result);
  void end();
  bool answered(const Result<Outcome>& result, const char* what);

  Worker& worker_;
  Calls& calls_;
  const SlurmClient& site_;
  std::function<TimePoint()> clock_;
  struct Wanted {
    JobLook look;
    Told told;
  };
  std::unique_ptr<Wanted> waiting_, now_;
  bool resting_ = false;
  Details details_;
  bool qos_untold_ = false;  // slurmctld answered, and did not tell the limits of each QOS
  std::optional<std::chrono::steady_clock::time_point> told_at_;
};

// The QOS of the partition that the job names, as `scontrol show partition` has it; empty: none, or not told.
std::string qos_of_partition(const std::string& partitions, const std::string& name);
// Whether slurmctld holds jobs against limits at all; nullopt: not known.
std::optional<bool> enforces_limits(const ClusterFacts& facts);

}  // namespace tessera::slurm
