// Whether a run has changed anything yet, or has only closed nodes and waits. Threads: pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "engine/plan/run/run.hpp"

namespace tessera::plan {

class StepBuilder;

// It only waits for work to end, and on the nodes where it does has begun nothing but to mark and close them:
// going back then opens them, and changes no layout.
bool only_closes(const Run& run);
// Nothing of it has failed or is under way, and it waits for a time or until nodes are empty.
bool waits_as_planned(const Run& run);
// An act that changes the layout of the node was begun, under whichever of its plans; builder: of the dialect
// that knows its acts, else that of the plan.
bool has_changed_layout(const Run& run, const NodeName& node);
bool has_changed_layout(const Run& run, const NodeName& node, const StepBuilder& builder);

// How often it was taken up since its tessera had gone in the middle; of a journal that can be followed. What
// was parked when it was taken up had not.
std::size_t taken_up_after_kills(const std::vector<Entry>& journal);

// A step that ends with it waits until no work is in the way.
bool is_for_work_to_end(const Condition& condition);

}  // namespace tessera::plan
