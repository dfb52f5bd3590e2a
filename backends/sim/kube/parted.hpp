// mig-parted at work on the boards of a simulated node: what a named configuration wants of each board,
// whether it stands already, and making it so with the driver's habits.
//
// After mig-parted v0.15 (cmd/nvidia-mig-parted): modes first, all instances of a board that differs are
// destroyed before any is made, orders are tried until one fits, and one pending mode resets every GPU of the
// node. Threads: functions of values.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/sim/kube/gfd.hpp"
#include "backends/sim/step.hpp"
#include "engine/operators/mig_parted.hpp"

namespace tessera::sim::kube {

using Targets = operators::NodeTarget;

// The entry `name` of a configuration file for the boards of a node. Errors: mig-parted's words as reason.
Result<Targets> evaluate(const std::string& yaml, const std::string& name, const GpuNode& node);

bool modes_stand(const std::vector<Board>& boards, const Targets& targets);
bool all_stands(const std::vector<Board>& boards, const Targets& targets);

// Faults that strike while mig-parted works.
struct Sabotage {
  bool in_use = false;   // the driver says so, whoever holds what
  bool half = false;     // Insufficient Resources after half of the list
  bool pends = false;    // a mode change stays pending through the reset
  bool nothing = false;  // success is told, and nothing is done
};

// One run of mig-parted: what it did to the boards, and what it printed.
struct PartedRun {
  std::vector<std::string> lines;    // debug lines, without time and level
  std::optional<std::string> fails;  // exit status 1, with these words
  int resets = 0;                    // GPUs that were reset
  int changed = 0;                   // GPUs whose instances were made anew
};
PartedRun apply_modes(Step& step, std::uint32_t node, const Targets& targets, const Sabotage& sabotage);
// Modes again where they do not stand, then instances.
PartedRun apply_all(Step& step, std::uint32_t node, const Targets& targets, const Sabotage& sabotage);

}  // namespace tessera::sim::kube
