// What is begun again on a node: the pod of its device plugin.
//
// A run marks the node first, and only what has begun since that mark counts as begun again: a run that is
// killed and taken up restarts nothing twice. Threads: plain values, pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/plan/capabilities.hpp"
#include "engine/plan/facts.hpp"
#include "engine/plan/node_action.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

namespace restarts {
// An act, as verb of Special. namespace (empty: any). Deletes the device plugin's pods on the node that are
// older than the run's mark; their DaemonSet starts new ones. Refused where it is no DaemonSet's.
inline constexpr std::string_view kPlugin = "restart-plugin";

// Keys of NodeFacts::words. "": a pod that is younger than the mark on the node is ready.
inline constexpr std::string_view kPluginAgain = "the device plugin's new pod";
// "": the node advertises GPUs by it.
inline constexpr std::string_view kPluginOffers = "what the device plugin offers";
}  // namespace restarts

Special restart_plugin(std::string ns);
bool is_restart(const Special& act);

// Why the device plugin of a node cannot be restarted, as reason and hint; nullopt: it can.
std::optional<Error> why_no_plugin_restart(const Node& node, Scheduler scheduler, Dialect dialect);
// For an actuator, whose mark is the node's: in words, as kPluginOffers has them.
std::string offers_by_plugin(const NodeFacts& facts);
// The steps of a plan that restarts it, from the mark to the end of it.
std::vector<Step> plugin_restart_steps(const NodeName& node, const Means& can, Scheduler scheduler,
                                       bool break_lock);
// Only the end: the mark is taken off.
std::vector<Step> unmark_steps(const NodeName& node, const Means& can, Scheduler scheduler);

}  // namespace tessera::plan
