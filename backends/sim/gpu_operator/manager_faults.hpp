// Armed faults when the MIG manager acts: each reconfiguration counts as one action with the verb
// "reconfigure". Threads: functions of values.
#pragma once

#include "backends/sim/gpu_operator/parted.hpp"

namespace tessera::sim::kube {

struct Struck {
  Sabotage sabotage;
  bool wedges = false;   // a GPU client does not leave
  bool fails = false;    // mig-parted ends with an error
  bool slow = false;     // everything takes ten times as long
  bool crashes = false;  // the manager ends as it begins
};
// Counts the action and uses up what strikes now.
Struck strike_reconfigure(World& world, const std::string& node);

}  // namespace tessera::sim::kube
