// Rules of a fleet file that do not hold now, held against the GPUs that they are for: what no such GPU can
// become is told before its window opens. Threads: pure functions.
#pragma once

#include "engine/fleet/survey.hpp"

namespace tessera::fleet {

// Adds a note for each rule of a pool that GPUs of its nodes cannot become, whatever is made there: its
// windows and, while one of them holds, its own. file: the whole file, whose pools the survey has as they are
// now. A demand is not looked at: what it asks depends on what runs when it comes.
void note_other_rules(Survey& survey, const Fleet& file, const Place& place);

}  // namespace tessera::fleet
