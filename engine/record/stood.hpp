// What a recording knows of a moment, for those who take its answer for the moment itself: commands, whose
// answer is read by scripts. Recording::at() tells the last round before it, however long before that was.
// Threads: the recording's.
#pragma once

#include "engine/record/recording.hpp"

namespace tessera::record {

// The cluster as it stood at that time. Errors: nothing is recorded of it, since it lies before the first
// round, behind the newest one, or in a gap between two (longest_step()).
Result<Model> stood_at(Recording& recording, TimePoint time);

}  // namespace tessera::record
