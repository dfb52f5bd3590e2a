// The simulator plays the device plugin's switches for shares itself, and reports them as labels of each
// node.
//
// A label is the switch: whoever sets it changes what the node offers from then on. No real cluster has them.
// Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "engine/plan/intent.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/steps/steps.hpp"

namespace tessera::plan {

inline constexpr std::string_view kSimulatedRename = "tessera.sim/rename-by-default";
inline constexpr std::string_view kSimulatedRefuse = "tessera.sim/fail-requests-greater-than-one";

// As the node's labels have them; nullopt: no simulated plugin hands out its GPUs.
std::optional<Switches> simulated_switches(const Node& node);
// ... or a way back; nullopt: it leads to none.
std::optional<Switches> simulated_switches(const Orders& orders);
Orders simulated_orders(const Switches& switches);

// What a change sets them to; nullopt: they stay, or the node has none. Without anything in shares a wish for
// them is about nothing; a way back leads to what was found all the same.
std::optional<Switches> simulated_switches_to_set(const NodeChange& change);

}  // namespace tessera::plan
