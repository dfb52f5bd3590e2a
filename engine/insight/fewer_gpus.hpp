// A Slurm node on which slurmd found fewer GPUs or slices than are configured (INVALID_REG): how many, and
// whether that came with a boot, which destroys MIG instances.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "engine/insight/attention.hpp"

namespace tessera::insight {

struct FewerGpus {
  std::int64_t found = 0, configured = 0;
  // The boot at which they were lost: slurmd registered with fewer soon after it, and was well before.
  // nullopt: it was no boot, or that is not told.
  std::optional<TimePoint> boot;
};
// nullopt: its reason does not say so.
std::optional<FewerGpus> fewer_gpus(const Node& node);

// The finding about such a node in place of Slurm's reason alone. ago: since the boot, in words; empty where
// there was none.
void tell_fewer(Finding& finding, const Node& node, const FewerGpus& fewer, const std::string& ago);

}  // namespace tessera::insight
