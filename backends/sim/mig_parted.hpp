// mig-parted at work on simulated GPUs: what a named configuration wants of each, whether it stands
// already, and making it so with the driver's habits.
//
// After mig-parted v0.15 (cmd/nvidia-mig-parted): modes first, all instances of a GPU that differs are
// destroyed before any is made, orders are tried until one fits, and one pending mode resets every GPU of the
// node. The MIG manager of a simulated cluster and the stand-in for the program itself both run it.
// Threads: functions of values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backends/sim/gpu.hpp"
#include "engine/operators/mig_parted.hpp"

namespace tessera::sim {

using Targets = operators::NodeTarget;

// The GPUs that it is about. Parallel: GPUs, what each can be cut into (null: it cannot), names for its
// words.
struct PartedNode {
  std::vector<Board>& boards;
  operators::NodeBoards products;
  std::vector<std::string> models;
};

// The entry `name` of a configuration file for these GPUs. Errors: mig-parted's words as reason.
Result<Targets> select_config(std::string_view yaml, std::string_view file, std::string_view name,
                              const operators::NodeBoards& products);

bool modes_stand(const std::vector<Board>& boards, const Targets& targets);
bool all_stands(const std::vector<Board>& boards, const Targets& targets);

// Faults that strike while mig-parted works.
struct Sabotage {
  bool in_use = false;   // the driver says so, whoever holds what
  bool half = false;     // Insufficient Resources after half of the list
  bool pends = false;    // a mode change stays pending through the reset
  bool nothing = false;  // success is told, and nothing is done
};

// One run of mig-parted: what it did to the GPUs, and what it printed.
struct PartedRun {
  std::vector<std::string> lines;    // debug lines, without time and level
  std::optional<std::string> fails;  // exit status 1, with these words
  int resets = 0;                    // GPUs that were reset
  int changed = 0;                   // GPUs whose instances were made again
};
PartedRun apply_modes(const PartedNode& node, const Targets& targets, const Sabotage& sabotage);
// Modes again where they do not stand, then instances.
PartedRun apply_all(const PartedNode& node, const Targets& targets, const Sabotage& sabotage);

}  // namespace tessera::sim
