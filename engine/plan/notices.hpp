// What an admin must know before arming: rules that the new layout breaks, limits whose meaning changes,
// waste. Threads: pure functions.
#pragma once

#include <vector>

#include "engine/plan/effect/diff.hpp"
#include "engine/plan/planner.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {

std::vector<Notice> notices_for(const NodeChange& change, const SiteRules& rules);
// A plan that changes nothing although slices stand at other starts than wished.
bool only_starts_differ(const Plan& plan);
// What of the wish for one GPU cannot be had as it was said.
void add_remarks(std::vector<Notice>& notices, const NodeName& node, const BoardChange& board);

// Which programs of no job have these GPUs open, and what the run does about them. site: may be nullptr.
void add_clients(std::vector<Notice>& notices, const Node& node, const std::vector<GpuIndex>& gpus,
                 const slurmconf::SlurmSetup* site);

// That new work cannot start on a node, and since when and why, before anything else is said of it: drained,
// down, or of no current list. `now` is the cluster's time.
std::vector<Notice> closed_notices(const Cluster& cluster, const Node& node, TimePoint now);
// Whether a notice is one of those: it belongs into the first lines of a plan.
bool is_about_closing(const Notice& notice);
inline constexpr const char* kAnothersClosing = "anothers-closing";  // a plan that opens it all the same
// ... and of those, that what was read of the cluster is not current.
bool is_about_age(const Notice& notice);
// Another has closed a node, and the run leaves it so: it neither closes nor opens it.
bool is_left_closed(const Notice& notice);
inline constexpr const char* kClosedAlready =
    "already-closed";  // a node that was to be closed, and by whom it is
inline constexpr const char* kStaysClosed = "stays-closed";  // a node action that leaves it as it found it

// Rules of the platform and of the device plugin about the nodes as they would be.
std::vector<Notice> violations_of(const Cluster& cluster, const mig::Catalogue& catalogue, Plan& plan,
                                  const std::vector<std::vector<BoardChange>>& changes,
                                  const SiteRules& rules, sharing::Platform platform);

// "strands 1 compute slice; 4g.40gb+3g.40gb strands none"; empty: nothing is wasted.
std::string waste_text(const mig::Product& product, const mig::Layout& layout);

// Fills in never_again and will_run. For never_again counts are of the whole cluster: whether a pod finds all
// it asks for on one node is not looked at.
// shares: of each node of the plan, afterwards.
void pending_effects(Plan& plan, const Cluster& cluster, const Outlook& outlook,
                     const std::vector<Shares>& shares);

}  // namespace tessera::plan
