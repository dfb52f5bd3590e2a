#include "backends/sim/gpu_operator/manager_faults.hpp"

#include <algorithm>

namespace tessera::sim::kube {

Struck strike_reconfigure(World& world, const std::string& node) {
  Struck struck;
  for (ArmedTrap& armed : world.traps) {
    if (counts_looks(armed.trap.kind) || !concerns(armed.trap, node, "reconfigure")) continue;
    if (due(armed)) switch (armed.trap.kind) {
        case TrapKind::create_stops: struck.sabotage.half = true; break;
        case TrapKind::in_use: struck.sabotage.in_use = true; break;
        case TrapKind::mode_pends: struck.sabotage.pends = true; break;
        case TrapKind::no_device: struck.sabotage.nothing = true; break;
        case TrapKind::wedges: struck.wedges = true; break;
        case TrapKind::fails: struck.fails = true; break;
        case TrapKind::slow: struck.slow = true; break;
        case TrapKind::manager_down: struck.crashes = true; break;
        default: break;
      }
    if (armed.trap.times || armed.seen + 1 < armed.trap.nth) ++armed.seen;
  }
  std::erase_if(world.traps, spent);
  return struck;
}

}  // namespace tessera::sim::kube
