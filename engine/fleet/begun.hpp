// Whether a run still makes what the fleet file says. Its rules count and not its time: a file that was
// written again says the same, and an edit may leave no trace in a time. Threads: pure functions.
#pragma once

#include "engine/fleet/survey.hpp"
#include "engine/plan/plan.hpp"

namespace tessera::fleet {

enum class Still : std::uint8_t {
  same,
  other,   // the file wants something else of a node, or allows less
  untold,  // nodes of which nothing is known now, or a run that does not tell for which demand it was begun
};

// A demand is spread another way each time, so a plan keeps what it was made for: for each pool whose demand
// rules a node of it, one notice.
void keep_demands(plan::Plan& plan, const Survey& survey);

// begun: the plan of the run. wanted: the file as it is to be at the moment whose rule the run makes.
// by_file: its patience came from the file, too; else a person may have given another one.
Still still_wanted(const plan::Plan& begun, const Fleet& wanted, const Cluster& cluster, const Place& place,
                   bool by_file);

}  // namespace tessera::fleet
