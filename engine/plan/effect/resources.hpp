// What a node offers before and after a change, in both schedulers' words, and what that does to pending
// work. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/effect/diff.hpp"
#include "engine/plan/planner.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::plan {

// A node's GPUs as sharing sees them, one shape for each way of sharing: several ways may stand side by
// side where the backend allows that.
std::vector<sharing::NodeShape> shapes_now(const Node& node, Scheduler scheduler,
                                           const mig::Catalogue& catalogue);
// With the changes made. `changes` may leave out GPUs that stay.
std::vector<sharing::NodeShape> shapes_after(const Node& node, Scheduler scheduler,
                                             const mig::Catalogue& catalogue,
                                             const std::vector<BoardChange>& changes);

// What the node offers, whole: the one answer for guide, editor, plan and texts. Without changes that is what
// it allocates, where it says so. `rules` are those of with_site(); a resource that falls to nothing is
// listed with 0 in `after` (see settle).
Offered offered(const Node& node, const mig::Catalogue& catalogue, const SiteRules& rules,
                const std::vector<BoardChange>* changes);
// Which resources of a Kubernetes node are shares once it is changed, and what becomes of a request for
// several.
Shares shares_after(const Node& node, const mig::Catalogue& catalogue, const SiteRules& rules,
                    const std::vector<BoardChange>& changes);

// What some GPUs of a node offer once they are changed, beside the others as they are; and why that is
// nothing, where a strategy does not take such boards.
struct BoardsOffer {
  Counts counts;
  std::vector<std::string> notes;
};
BoardsOffer offered_by_boards(const Node& node, const mig::Catalogue& catalogue, Scheduler scheduler,
                              const SiteRules& rules, const std::vector<BoardChange>& changes);
// Lists in each what only the other has, as 0.
void settle(Offered& before, Offered& after);
void add(Offered& sum, const Offered& more);

// GPU or slice units in all, whatever they are called: what a limit on gres/gpu or nvidia.com/gpu counts.
std::int64_t gpu_units(const Counts& counts, Scheduler scheduler);

// Whether a request could be met by that resource at all: an untyped "gpu" takes any GPU or instance.
bool answers(const std::string& requested, const std::string& offered, Scheduler scheduler);

}  // namespace tessera::plan
