// What a plan relies on, written down, so that a plan applied later can tell what has moved since.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/planner.hpp"

namespace tessera::plan {

// One fact a line: whether the node takes work, the GPUs that change, who holds what within the scope.
std::vector<std::string> relied_on(const Cluster& cluster, const Node& node,
                                   const std::vector<GpuIndex>& boards, const std::optional<Scope>& scope);
std::string fingerprint_of(const std::vector<NodePlan>& nodes);

struct Moved {
  NodeName node;
  std::string text;       // "now: GPU 0 1g.10gb@0 held by 123 (alice)"
  bool harmless = false;  // someone left: nobody is disturbed who was not named
  friend bool operator==(const Moved&, const Moved&) = default;
};
// Empty: the world is as the plan found it.
std::vector<Moved> what_moved(const Plan& plan, const Cluster& cluster);
bool may_apply(const std::vector<Moved>& moved);

}  // namespace tessera::plan
