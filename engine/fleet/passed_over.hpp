// Pools whose nodes drift and of which fleet run begins nothing, or not all, as things stand: their budget
// does not let it, or another keeps nodes closed. Worked out from what stands there now, so that whoever asks
// later sees what a run has skipped. Threads: pure functions.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/fleet/survey.hpp"
#include "engine/fleet/zone.hpp"
#include "engine/model/run_news.hpp"

namespace tessera::fleet {

// What a run goes by beside the survey of the file as it is to be now. All of it outlives the call.
struct RunsBy {
  const Fleet& file;
  const Zone& zone;  // the file's
  TimePoint now;     // by the clock of the cluster
};

// What a run of the pool does to work in the way; all else of its options is of no account for a budget.
plan::ChangeOptions evicts(const Pool& pool, plan::ChangeOptions options);

// More jobs and pods are in the way of this plan of the pool than max_disturbed lets it evict: which, until
// when, and the ways out. nullopt: there are not, or the pool waits for them.
std::optional<std::string> over_max_disturbed(const Pool& pool, const plan::Plan& plan,
                                              const Cluster& cluster, const RunsBy& by);
// Until when a change of the pool may begin, where that is over in the phase that holds now.
std::optional<TimePoint> begins_no_more(const Pool& pool, const RunsBy& by);

// Nodes of the pool that drift and that are closed, with who keeps them closed, and why: "root: RMA 4711". A
// run asks a person about each, and begins no other node until that is answered. busy: those of runs that
// have not ended.
std::map<NodeName, std::string> closed_by_others(const Survey& survey, const Pool& pool,
                                                 const std::set<NodeName>& busy);
std::string closed_text(const std::map<NodeName, std::string>& closed);
bool is_of_closed(const PoolNote& note);  // it is such a text

// Nodes of the plan that by the time limits of the workloads in the way are not empty before the phase ends
// that wants the change: which, and until when. nullopt: none, or it is not known, or the pool evicts. from:
// when the phase begins, or any later moment of it.
std::optional<std::string> not_empty_in_time(const Pool& pool, const plan::Plan& plan, const Cluster& cluster,
                                             const RunsBy& by, TimePoint from);

// Adds a note for each such pool. runs: as they are known; nodes of those that have not ended are begun by no
// other one.
void note_passed_over(Survey& survey, const Place& place, const RunsBy& by, const std::vector<RunHead>& runs);

}  // namespace tessera::fleet
