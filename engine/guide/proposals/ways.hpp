// Where a leaf leads on a platform: to a plan, to the platform's own command, or, where neither is possible,
// why not and to which answer of the flowchart one goes back. No leaf is a dead end.
// Threads: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/guide/flowchart.hpp"
#include "engine/guide/proposals/proposals.hpp"
#include "engine/sharing/limits.hpp"

namespace tessera::guide {

enum class Onward : std::uint8_t {
  plan,       // tessera plans each of the proposals
  command,    // by hand, with what is handed out: the platform or a hypervisor decides it
  elsewhere,  // not here
};
std::string_view word(Onward onward);  // "plan" "command" "elsewhere"

struct Ways {
  Onward onward = Onward::plan;
  std::vector<std::string> texts;  // why, and where it goes on; may be empty where a plan is the way
};

// What `leaf` leads to. chart: the tree that is walked; the answers to go back to are named only where it has
// the built-in questions. limits: those of the leaf.
Ways ways_on(Strategy leaf, sharing::Platform platform, const Scope& scope, const Flowchart& chart,
             const std::vector<sharing::Limit>& limits, const std::vector<Proposal>& proposals);

// What stands behind `tessera plan`, for each plan that a proposal needs: one for all of its GPUs, or one
// for each GPU where they are cut differently. Empty: it cannot be planned. A product that no node has is
// planned for "NODE".
std::vector<std::vector<std::string>> plan_flags(const Proposal& proposal, const Scope& scope,
                                                 Scheduler scheduler);
// The flags as they would be typed behind `tessera plan`: with quotes where a shell needs them.
std::string typed(const std::vector<std::string>& flags);

}  // namespace tessera::guide
