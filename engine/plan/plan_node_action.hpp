// Plans for a node as a whole: closing it, opening it again, restarting its device plugin, rebooting it,
// resetting its GPUs. Same
// preview, arming, journal and undo as a layout. Threads: pure functions.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "engine/error.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Precondition: is_node_action(intent). Errors: unknown nodes, a closing that is another's, what this backend
// cannot do. A node that is as wished already gets no steps.
// catalogue: for what jobs that are waited for hold; may be null. The plan's intent notes more than the given
// one: since which boot a node is up that is to be rebooted.
Result<Plan> plan_node_action(const Cluster& cluster, const Intent& intent, const Means& can, TimePoint now,
                              const mig::Catalogue* catalogue = nullptr);

// The way back from what the run did to this node: what was open is opened, what was closed is closed for the
// reason that it had. Of one that does not lead back: its own intent.
Intent action_back(const Plan& plan, const NodePlan& node, const std::string& run);

// The way back of a run that has not begun anything there, or nothing that is taken back: the mark goes, and
// what was closed for a reset is opened. begun: as in Unfinished.
Plan plan_nothing_back(const Node& node, Intent intent, Scheduler scheduler, const Means& can, TimePoint now,
                       const std::set<std::string>& begun = {});
// Whether there may be something to lead back on a node of a run of such a plan: a reboot is cancelled while
// it has not begun.
bool leads_back(const Plan& plan, const NodePlan& node);

// What such a plan relies on of a node, one fact a line.
std::vector<std::string> action_facts(const Node& node);

// Whether there is anything to open: it is closed, or Slurm has set it DOWN and it may answer.
bool may_reopen(const Node& node);

// Whose closing it is, unless one of these runs has closed it; empty: one has. Precondition: may_reopen().
std::string why_anothers(const Node& node, const std::set<std::string>& runs);

}  // namespace tessera::plan
