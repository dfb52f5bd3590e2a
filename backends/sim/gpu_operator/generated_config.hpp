// The configuration file that a recent MIG manager (v0.14 and later) makes from the GPUs that it finds.
// Threads: pure functions of values.
#pragma once

#include <optional>
#include <string>

#include "backends/sim/gpu_operator/gfd.hpp"
#include "engine/json.hpp"

namespace tessera::sim::kube {

// nullopt: the driver does not list profiles while MIG is off (branch 535 and older), or there are none.
std::optional<std::string> generated_config(const GpuNode& node);
// "<node>-mig-config", owned by the manager's pod.
Json config_map_object(const std::string& node, const Json& pod, const std::string& config);

}  // namespace tessera::sim::kube
