// Whether a run still makes what the fleet file says. Its rules count and not its time: a file that was
// written again says the same, and an edit may leave no trace in a time. Threads: pure functions.
#pragma once

#include "engine/fleet/survey.hpp"
#include "engine/fleet/zone.hpp"
#include "engine/model/run_news.hpp"
#include "engine/plan/plan.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::fleet {

enum class Still : std::uint8_t {
  same,
  other,   // the file wants something else of a node, or allows less
  untold,  // nodes of which nothing is known now, or a run that does not tell for which demand it was begun
};

// Whether a run that waits as planned is left for a person, since the file wants something else of its nodes
// by now. What the next fleet run opens again by itself is not. place: of the cluster. wall: this machine's
// clock.
bool no_longer_wanted(const RunHead& head, const plan::Run& run, const Fleet& file, const Zone& zone,
                      const Cluster& cluster, const Place& place, TimePoint wall);

// A demand is spread another way each time, so a plan keeps what it was made for: for each pool whose demand
// rules a node of it, one notice.
void keep_demands(plan::Plan& plan, const Survey& survey);

// begun: the plan of the run. wanted: the file as it is to be at the moment whose rule the run makes.
// by_file: its patience came from the file, too; else a person may have given another one.
Still still_wanted(const plan::Plan& begun, const Fleet& wanted, const Cluster& cluster, const Place& place,
                   bool by_file);

}  // namespace tessera::fleet
