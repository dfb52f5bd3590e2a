// A pool that is to have so many instances, on whichever of its GPUs: spread by the packing planner.
// Threads: pure function.
#pragma once

#include "engine/fleet/survey.hpp"

namespace tessera::fleet {

// NodeSurvey::why where nothing is wrong with the node itself.
inline constexpr const char* kDemandUnmet = "the demand of its pool cannot be met";
inline constexpr const char* kDemandUntold = "whether the demand of its pool is met is not known";
// What is said of a node is said of its pool, of which a note tells.
bool is_of_its_pool(const NodeSurvey& node);

// Instances that are held or stand on GPUs that no plan may change count as there; the rest is packed onto
// the others, and the GPUs that are to change are added to their nodes, which become Standing::drifts.
// nodes: those of the pool that are known. unknown: those that are not; what was last known of their
// instances counts as there. untold: nodes of the pool may not be listed at all. Where either leaves the
// demand open, nothing is to change. rules: of the cluster, as plans of it go by. A node of which no plan is
// made for its part is left out, where others serve. Returns what cannot be met, or is not known; where very
// many are refused one after the other, it is not known, and nothing is to change.
std::optional<PoolNote> spread(const Pool& pool, const Cluster& cluster, const Place& place,
                               const plan::SiteRules& rules, const std::vector<NodeSurvey*>& nodes,
                               const std::vector<const NodeSurvey*>& unknown, bool untold);

}  // namespace tessera::fleet
