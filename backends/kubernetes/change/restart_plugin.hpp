// Restarting a node's device plugin, or its DRA driver: its pods are deleted, and their DaemonSet starts new
// ones. Threads: the worker's.
#pragma once

#include <string>

#include "backends/kubernetes/change/start_action.hpp"

namespace tessera::kubernetes {

// Deletes those that are older than the run's mark on the node, each only as the very pod that was looked at.
// ns: no others but there; empty: anywhere. Errors: the mark is not ours, there is no such pod, or one that
// nothing would start again.
void restart_plugin(const Place& place, const plan::Order& order, std::string ns, Ended ended);

// The same of NVIDIA's DRA driver: those that were there before the MIG manager reported its end. Its
// controller, which no DaemonSet starts, is left alone.
void restart_dra(const Place& place, const plan::Order& order, Ended ended);

}  // namespace tessera::kubernetes
