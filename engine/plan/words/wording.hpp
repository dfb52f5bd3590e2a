// What a step is called and what is typed for it, from what it does: its action and what must be seen after
// it.
//
// The builders of all dialects and whoever reads a journal call it. What a journal itself says of its steps
// is never shown: an edited title would hide what the step does.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/plan.hpp"

namespace tessera::plan {

// "GPU 0: create 3g.40gb@4", "wait until 2 jobs have left". disturbed: how many the node's plan disturbs.
std::string title_of(const Step& step, const NodeName& node, Dialect dialect, std::size_t disturbed);

// Gives the steps their ids ("n0007/4") and titles.
void name_steps(const NodeName& node, Dialect dialect, std::vector<Step>& steps, std::size_t disturbed);

// What one would type for an action on its node or against its cluster, one command a line. `product` for
// profile numbers; may be null.
std::vector<std::string> commands_for(const Action& action, const NodeName& node, Dialect dialect,
                                      Scheduler scheduler, const mig::Product* product);

// Of a plan that was read from a journal: titles and commands become those of what its steps do. The ids of
// the steps that were called otherwise in the file go into plan.renamed.
void reword(Plan& plan);
// "the journal calls 2 steps otherwise than what they do (n1/4, n1/5); …"; empty: none.
std::string renamed_text(const std::vector<std::string>& steps);

}  // namespace tessera::plan
