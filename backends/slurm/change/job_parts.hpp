// Which GPU instance a job holds, where an exporter says so and Slurm does not: the prolog of a site writes
// the jobs of each GPU and instance into files that dcgm-exporter reads (label hpc_job).
//
// Slurm counts its own devices, and the driver's instances have none of its numbers. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/figures/dcgm.hpp"
#include "backends/slurm/change/node_processes.hpp"
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

// Gives the node's instances the numbers of Slurm's devices that these jobs hold there. Only where a job is
// named on as many instances of a profile as it holds of them; else nothing of that job.
void number_parts(Node& node, const std::vector<NamedPart>& parts, const std::vector<Workload>& jobs,
                  const JobNumbers& numbers);

}  // namespace tessera::slurm
