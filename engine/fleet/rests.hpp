// Runs that fleet run has parked since their file was paused while they were under way: the next fleet run
// goes on with them once the pause is over. That is read from what their journals say.
// Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/run/run.hpp"

namespace tessera::fleet {

// Why such a run rests, for its journal. since: when it was paused and by whom.
std::string resting_words(const std::string& since);
// It rests for that alone: no step of it has failed, and no node waits for a person.
bool rests_by_pause(const plan::Run& run);
// Nodes that have failed or wait for a person, without those that rest.
std::vector<NodeName> failed_but_resting(const plan::Run& run);
// It has changed no layout, so that a run whose time is over has nothing to do but open what it has closed.
bool has_only_closed(const plan::Run& run);

}  // namespace tessera::fleet
