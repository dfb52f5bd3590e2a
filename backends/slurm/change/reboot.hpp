// Having Slurm reboot a node, and taking that back, on a reading of it from right before.
// Threads: the worker's thread only.
#pragma once

#include <functional>

#include "backends/slurm/change/start_action.hpp"
#include "engine/plan/node_reboot.hpp"

namespace tessera::slurm {

// Precondition: plan::is_reboot(act). Errors: it may not be done any more, or another admin has closed or
// opened the node since it was looked at.
void reboot(Hands& hands, const plan::Order& order, const plan::Special& act,
            std::function<void(Status)> done);

}  // namespace tessera::slurm
