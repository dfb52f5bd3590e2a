// Narrowing a plan over a whole cluster to some of its nodes, for the pack and the advice screen: `:on
// NODES`,
// `:on partition=NAME` (or `namespace=NAME`), `:on all`; and what else both need. Threads: the UI thread.
#pragma once

#include <string>
#include <vector>

#include "tui/narrowed.hpp"
#include "tui/update.hpp"

namespace tessera::tui {

// What is typed behind `:on`. Errors: a name that the cluster does not have, a partition without a node, a
// filter that is none or passes none.
Result<Narrowed> narrowed_by(const Cluster& cluster, const UiContext& ui, const std::string& typed);

// The nodes that may be changed.
std::vector<NodeName> nodes_of(const Cluster& cluster, const Narrowed& only);

// " --node n[1-3] --partition short": as `tessera pack` takes it; empty: nothing is narrowed.
std::string flags_of(const Narrowed& only);
// "only 3 nodes", "only partition short"; empty: nothing is narrowed.
std::string narrowed_text(const Narrowed& only, Scheduler scheduler);

// Why nothing is planned over a cluster here and now; empty: it is.
std::string why_not_planned(const UiState& state, const Cluster* cluster);
// One moment of a recording is shown, and does not play: what is said of another one is old at once.
bool stands_in_past(const UiState& state);
// "as of 2026-03-02 03:12:00", where a recording is shown; empty: it is not.
std::string moment_text(const UiState& state, const ClusterThen& then);
// What was asked of the cluster in another time is forgotten; what is wanted stays.
void leave_time(UiState& state);

// A copy for the planner's thread.
std::shared_ptr<const ClusterThen> then_of(const UiState& state, const UiContext& ui, const Cluster& cluster);

// Opens a screen over the cluster in view, that which it showed last, or the first.
void show_over_cluster(UiState& state, const UiContext& ui, ScreenKind kind, const ClusterName& last);
std::string why_no_cluster(Action action, const UiState& state, const UiContext& ui);
void next_cluster(UiState& state, const UiContext& ui);

// Begins to type the command that narrows.
void ask_what_to_narrow(UiState& state);

}  // namespace tessera::tui
