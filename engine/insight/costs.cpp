#include "engine/insight/costs.hpp"

#include <fmt/format.h>

namespace tessera::insight {
namespace {

constexpr double kLeastShown = 0.05;  // calls a minute: less than that is the difference of two clocks

}  // namespace

std::optional<CostRate> rate_of(const std::optional<SourceCost>& cost) {
  if (!cost || cost->over.count() <= 0) return std::nullopt;
  const double minutes = static_cast<double>(cost->over.count()) / 60'000.0;
  return CostRate{static_cast<double>(cost->calls) / minutes, static_cast<double>(cost->bytes) / minutes};
}

std::string bytes_text(double bytes) {
  constexpr double kStep = 1024;
  if (bytes < kStep) return fmt::format("{:.0f} B", bytes);
  for (const char* unit : {"KiB", "MiB"}) {
    bytes /= kStep;
    if (bytes < kStep) return fmt::format("{:.1f} {}", bytes, unit);
  }
  return fmt::format("{:.1f} GiB", bytes / kStep);
}

std::string calls_text(const Cluster& cluster, double calls) {
  return cluster.scheduler == Scheduler::slurm ? fmt::format("{:.1f} commands a minute", calls)
                                               : fmt::format("{:.1f} requests a minute", calls);
}

std::string cost_text(const Cluster& cluster, const std::optional<SourceCost>& cost) {
  const auto rate = rate_of(cost);
  if (!rate) return "not measured";
  const std::string bytes = bytes_text(rate->bytes);
  return cluster.scheduler == Scheduler::slurm
             ? fmt::format("{:.1f} commands a minute, {} a minute", rate->calls, bytes)
             : fmt::format("{:.1f} requests a minute, {} a minute", rate->calls, bytes);
}

bool counts_in_pace(const Cluster& cluster, Source source) {
  if (cluster.scheduler == Scheduler::kubernetes) return true;
  return source != Source::dcgm && source != Source::nvidia_smi && source != Source::slurm_config;
}

double calls_of_others(const Cluster& cluster) {
  double rest = cluster.pace.calls_per_minute;
  bool any = false;
  for (const auto& [source, health] : cluster.sources)
    if (const auto rate = rate_of(health.cost); rate && counts_in_pace(cluster, source))
      rest -= rate->calls, any = true;
  // Where nothing is measured, all of it would pass for the rest.
  return !any || rest < kLeastShown ? 0 : rest;
}

}  // namespace tessera::insight
