// The nodes of a change before and after it, beside those that share a rule with them: what a platform's
// rules are held against, by plans and by the guide before it proposes one. Threads: pure functions.
#pragma once

#include <span>
#include <vector>

#include "engine/plan/effect/diff.hpp"
#include "engine/plan/planner.hpp"
#include "engine/sharing/shape.hpp"

namespace tessera::plan {

// What is to become of one node. The orders are those of its manager; alike where the change gives none.
struct FleetChange {
  const Node* node = nullptr;
  std::vector<BoardChange> changes;
  Orders ordered_before, ordered_after;
};

struct Fleet {
  std::vector<sharing::NodeShape> before, after;  // in one order
  bool none_stays_with_operator = false;
};

Fleet fleet_of(const Cluster& cluster, const mig::Catalogue& catalogue, std::span<const FleetChange> changes,
               const Setup& setup, const SiteRules& rules, sharing::Platform platform);

}  // namespace tessera::plan
