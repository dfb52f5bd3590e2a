// Undo: one plan that takes every node of a run back to what the run found there.
// Threads: pure function.
#pragma once

#include "engine/plan/planner.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::plan {

// From what stands now. Nodes may have been found with different layouts; each is planned by its own.
// It waits for work to end, whatever the run was allowed to do, unless other options are given. Errors: those
// of make_plan.
Result<Plan> plan_undo(const Run& run, const Cluster& cluster, const mig::Catalogue& catalogue,
                       const Means& capabilities, const SiteRules& rules, TimePoint now,
                       const ChangeOptions* options = nullptr);

// Why such a run leaves nothing to undo, ever; nullopt: what it did may be undone.
std::optional<Error> why_nothing_to_undo(const Run& run);

}  // namespace tessera::plan
