// Writes that other nodes than the run's share: entries of ConfigMaps, and which ConfigMap the operator
// reads.
//
// The plan was made on what the other nodes used then, perhaps days ago. All of that is read again right
// before each write, which is made only if it still holds (operators::why_not_shared), and on the
// resourceVersion that was just read. Threads: the worker's.
#pragma once

#include "backends/kubernetes/change/start_action.hpp"

namespace tessera::kubernetes {

// node: the one that the run changes.
void write_mig_config(const Place& place, const std::string& node, const plan::Special& act, Ended ended);
void write_plugin_config(const Place& place, const std::string& node, const plan::Special& act, Ended ended);
// Only what one component reads: {"spec": {COMPONENT: {"config": {"name": MAP, ..}}}}.
void patch_policy(const Place& place, const std::string& node, const plan::Special& act, Ended ended);

}  // namespace tessera::kubernetes
