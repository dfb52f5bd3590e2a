// What it costs to ask a cluster, source by source, in words and as rates.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string>

#include "engine/model/model.hpp"

namespace tessera::insight {

// A minute.
struct CostRate {
  double calls = 0, bytes = 0;
};
// nullopt: not measured.
std::optional<CostRate> rate_of(const std::optional<SourceCost>& cost);

// "820 B" "1.5 MiB"
std::string bytes_text(double bytes);
// "6.0 commands a minute"; of an API server "6.0 requests a minute"
std::string calls_text(const Cluster& cluster, double calls);
// "6.0 commands a minute, 1.5 MiB a minute"; "not measured".
std::string cost_text(const Cluster& cluster, const std::optional<SourceCost>& cost);

// Whether what this source is asked goes to the cluster's controllers, and so is a part of
// Cluster::pace: on Slurm exporters, Prometheus and nodes are asked themselves.
bool counts_in_pace(const Cluster& cluster, Source source);
// Calls a minute of the pace that belong to none of the cluster's sources: steps of runs, reviews of rights,
// what a server turns out not to serve. 0: none, or no source is measured.
double calls_of_others(const Cluster& cluster);

}  // namespace tessera::insight
