// A run's DeviceTaintRule, which keeps claims off all devices of a node, those too that a cut brings: one for
// the node's pool, named after the run. Threads: the worker's.
#pragma once

#include "backends/kubernetes/change/start_action.hpp"

namespace tessera::kubernetes {

// Only on a node that carries the run's mark. One that stands already is the run's own: its name is.
void close_devices(const Place& place, const plan::Order& order, Ended ended);
// One that is gone is well, and so is a server that has no such rules any more.
void open_devices(const Place& place, const plan::Order& order, Ended ended);

// The same, where there is one: a run that has made none needs no right to delete rules.
void drop_rule(const Place& place, const plan::Order& order, Ended ended);

}  // namespace tessera::kubernetes
