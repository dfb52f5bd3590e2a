// Pools of which fleet run begins no other node, since runs that have not ended may have as many under way as
// max_nodes_at_once allows. Threads: pure functions.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/model/run_news.hpp"
#include "engine/plan/run/run.hpp"

namespace tessera::fleet {

// A parked run of the file, as its journal tells it.
struct OpenRun {
  std::set<NodeName> done;    // these need no room
  std::size_t under_way = 1;  // nodes at a time, at most
};
OpenRun open_run(const plan::Run& run);
using OpenRuns = std::map<std::string, OpenRun>;  // by run; all nodes of one that is not in it count

struct Taken {
  std::size_t nodes = 0;           // at a time, at most
  std::vector<std::string> names;  // which these may be
};
// busy: the nodes of runs that have not ended, as far as they are looked at.
Taken taken_by_runs(const Survey& survey, const Pool& pool, const std::vector<RunHead>& runs,
                    const std::set<NodeName>& busy, const OpenRuns& open);

// A note for each such pool with a node that drifts and is of no run that has not ended.
std::vector<PoolNote> no_room(const Survey& survey, const std::vector<RunHead>& runs, const OpenRuns& open);

}  // namespace tessera::fleet
