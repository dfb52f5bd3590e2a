// Which GPU instance a job holds, where an exporter says so and Slurm does not: the prolog of a site writes
// the jobs of each GPU and instance into files that dcgm-exporter reads (label hpc_job).
//
// Slurm counts its own devices, and the driver's instances have none of its numbers. Threads: pure functions,
// and NamedJobs, which any thread may use: Prometheus is heard on another one than Slurm.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "backends/slurm/change/process_owners.hpp"
#include "engine/model/values.hpp"

namespace tessera::slurm {

struct NamedPart {
  int gpu = 0;  // as the driver counts
  int instance = 0;
  ProfileName profile;
  std::string job;  // its number
  friend bool operator==(const NamedPart&, const NamedPart&) = default;
};

// Instances for which the exporter names one job. One that is told under several is left out.
std::vector<NamedPart> named_parts(const figures::DcgmReadings& readings);

// Names that were told longer ago count no more. A round over many exporters may take longer than that.
inline constexpr Duration kNamesStand{600'000};

// As it was told last of each node.
class NamedJobs {
 public:
  using Steady = std::chrono::steady_clock::time_point;
  void keep(const NodeName& node, const figures::DcgmReadings& readings, Steady now);
  // Of a node of which nothing was told for so long: none.
  std::vector<NamedPart> of(const NodeName& node, Steady now, Duration stand = kNamesStand) const;
  void forget_older(Steady now, Duration stand = kNamesStand);
  bool any() const;

 private:
  struct Told {
    Steady at;
    std::vector<NamedPart> parts;
  };
  mutable std::mutex mutex_;
  std::map<NodeName, Told> told_;
};

// Gives the node's instances the numbers of Slurm's devices that these jobs hold there. Only where a job is
// named on as many instances of a profile as it holds of them; else nothing of that job.
void number_parts(Node& node, const std::vector<NamedPart>& parts, const std::vector<Workload>& jobs,
                  const JobNumbers& numbers);

}  // namespace tessera::slurm
