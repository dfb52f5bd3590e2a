// mig-parted on a node of a simulated cluster: its GPUs given to backends/sim/mig_parted, and what became
// of them counted again. Threads: functions of values.
#pragma once

#include <string>

#include "backends/sim/gpu_operator/gfd.hpp"
#include "backends/sim/mig_parted.hpp"
#include "backends/sim/step.hpp"

namespace tessera::sim::kube {

// The entry `name` of a configuration file for the GPUs of a node. Errors: mig-parted's words as reason.
Result<Targets> evaluate(const std::string& yaml, const std::string& name, const GpuNode& node);

PartedRun apply_modes(WorldStep& step, std::uint32_t node, const Targets& targets, const Sabotage& sabotage);
PartedRun apply_all(WorldStep& step, std::uint32_t node, const Targets& targets, const Sabotage& sabotage);

}  // namespace tessera::sim::kube
