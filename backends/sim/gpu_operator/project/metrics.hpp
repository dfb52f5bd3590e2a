// What the DCGM exporter of one simulated node answers on /metrics.
//
// After dcgm-exporter 4.6 (default counters, render_metrics.go): a GPU that is cut is reported by its GPU
// instances only, under the parent's UUID; work is named where a part belongs to one pod alone. Threads: pure
// functions.
#pragma once

#include <string>

#include "backends/sim/world.hpp"

namespace tessera::sim::kube {

struct ExporterHabits {
  bool lower_hostname = false;  // "hostname" since May 2026, "Hostname" before
  bool virtual_gpus = false;    // --kubernetes-virtual-gpus: each of the pods that share a GPU is told
};
// In the text exposition format of Prometheus.
std::string metrics_text(const World& world, std::uint32_t node, const ExporterHabits& habits = {});

}  // namespace tessera::sim::kube
