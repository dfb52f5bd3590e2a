// Why no plan changes a node, before one is asked for: a node that a fleet file or a demand means is left out
// for it, so that it keeps no other from being changed.
// Threads: pure functions.
#pragma once

#include <string>

#include "engine/plan/planner.hpp"

namespace tessera::plan {

// Why make_plan refuses a plan for this node alone, or makes one without steps; empty: it does neither. What
// a plan of several nodes breaks together (Plan::violations) is not looked at. Precondition: the intent is
// about one node. The text is the reason and what to do, without the words that it is this node.
std::string why_not_changed(const Cluster& cluster, const mig::Catalogue& catalogue, const Intent& intent,
                            const Means& capabilities, const SiteRules& rules);

}  // namespace tessera::plan
