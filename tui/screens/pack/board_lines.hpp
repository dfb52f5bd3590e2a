// GPUs that a packed plan changes, a line each: now, afterwards, and what is made. For the pack and the
// advice screen. Threads: pure functions.
#pragma once

#include <string>

#include "engine/pack/problem.hpp"
#include "tui/update.hpp"
#include "tui/widgets/document.hpp"

namespace tessera::tui {

DocLine board_heads();
// old: the answer is not of what is asked now. The line has no id.
DocLine board_line(const UiContext& ui, const UiState& state, const ClusterName& cluster,
                   const pack::Problem& problem, const pack::BoardPlan& plan, bool old);

}  // namespace tessera::tui
