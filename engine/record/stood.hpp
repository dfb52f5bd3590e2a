// What a recording knows of a moment, for those who take its answer for the moment itself: commands, whose
// answer is read by scripts. Recording::at() tells the last round before it, however long before that was.
// Threads: the recording's.
#pragma once

#include "engine/record/recording.hpp"

namespace tessera::record {

// The cluster as it stood at that time. Errors: nothing is recorded of it, since it lies before the first
// round, behind the newest one, in a gap between two (longest_step()), or where the recording is damaged.
Result<Model> stood_at(Recording& recording, TimePoint time);

// For how long the round that at() told last speaks of what follows it: where that is damaged, until the next
// one was due.
Duration speaks_for(const Recording& recording);

// Of a recording that covered() tells nothing of: it may be that nothing is recorded yet. Errors: something
// is, and cannot be read.
Status can_be_read(Recording& recording);

}  // namespace tessera::record
