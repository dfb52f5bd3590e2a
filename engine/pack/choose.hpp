// From counts to GPUs: which GPUs of a class change, and to which instances.
// Threads: pure functions.
#pragma once

#include <map>

#include "engine/pack/model.hpp"

namespace tessera::pack {

// By index of the GPU in Problem::boards: what it becomes, as one of its state's choices.
using Chosen = std::map<std::size_t, const Choice*>;

// GPUs on as few nodes as a simple rule finds: first the node with the most that are still needed.
Chosen choose(const Selection& selection, const Model& model, const Classes& classes, const Nodes& nodes,
              const std::vector<bool>& allowed);
// Destroys and creates less where the demand allows.
void trim(Chosen& chosen, const Classes& classes);

// The layout of a choice in which the driver's own choice of starts ends, if there is one; else the choice's
// own.
BoardPlan plan_of(const Classes& classes, std::size_t board, const Choice& choice);

}  // namespace tessera::pack
