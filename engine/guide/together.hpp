// What the rules of a platform let a plan do: layouts that a plan would be refused for are not proposed, and
// where the GPUs asked about cannot change alone, those are named that have to change with them.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/guide/guide.hpp"

namespace tessera::guide {

// The first rule that a plan of it would break here, "fpt-b: all worker groups …"; empty: none. Held against
// the same state after the change as the plan itself.
std::string refusal_of(const Proposal& proposal, const Scope& scope, sharing::Platform platform);

// The scope with all GPUs of these nodes that are of its product.
Scope together(const Scope& scope, const std::vector<NodeName>& nodes);

// Keeps those layouts of a result that a plan may make. Where it may make none for these GPUs alone, those
// for all GPUs of their nodes, of their pool or of their cluster take their place, with their nodes and a
// sentence in `ways`; where there is no such set either, each layout says which rule is in its way, and
// `ways` where it goes on.
void keep_allowed(GuideResult& result, const Scope& scope, sharing::Platform platform,
                  const Flowchart& chart);

}  // namespace tessera::guide
