// Going back to the very text that a run has found, lines that nodes share included.
// Threads: pure functions.
#pragma once

#include "engine/slurmconf/config.hpp"

namespace tessera::slurmconf {

// `after`, or in its place what was found once: where both mean the same for every node, and the lines that
// no run writes (comments, settings, partitions, Includes) are the same in what stands there now. Files that
// `found` lacks stay as they are in `after`.
Files restored(const Files& now, const Files& after, const Files& found);

}  // namespace tessera::slurmconf
