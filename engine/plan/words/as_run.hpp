// A plan's steps as people are shown them: as the run takes them on the node as it stands.
//
// The titles and commands in plans, their files and journals never change wording: a plan is held against
// what tessera makes again. What is shown says more. On a node that another admin has closed the run neither
// closes nor opens: there is nothing to copy that would open it. A wait names the GPUs or slices that it is
// about. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// Another has closed it, and the run leaves it so.
bool stays_closed(const Plan& plan, const NodeName& node);

// Of one of the plan's nodes.
std::vector<Step> steps_as_run(const Plan& plan, const NodePlan& node);
// left_closed: as a run's journal tells it.
std::vector<Step> steps_as_run(const NodePlan& node, bool left_closed);

// What one of the node's steps is called: a wait names what it is about.
std::string shown_title(const Step& step, const NodePlan& node);

}  // namespace tessera::plan
