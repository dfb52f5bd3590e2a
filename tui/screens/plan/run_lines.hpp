// The journal of a run as its screen shows it: one line a step, with when it began, how long it took and what
// came of it; or every line as it is written.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "tui/run_state.hpp"
#include "tui/terminal/style.hpp"

namespace tessera::tui {

struct RunLine {
  std::string step;         // that it is about; empty: none
  TimePoint at{};           // of a step: when it began
  std::string text;         // in English
  std::string result = {};  // what came of a step so far; empty: of a line that is as it is written
  Role role = Role::text;
};

// Those of one node and of the run as a whole, oldest first. all: every line of the journal.
std::vector<RunLine> run_lines(const RunView& view, const NodeName& node, bool all);

// Its steps as they are shown: whether the node is another's to open is what the run has found.
std::vector<plan::Step> steps_as_run(const RunView& view, const NodeName& node);

}  // namespace tessera::tui
