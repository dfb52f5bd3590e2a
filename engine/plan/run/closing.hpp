// Whether a run that waits has done nothing yet but close nodes. Threads: pure function.
#pragma once

#include "engine/plan/run/run.hpp"

namespace tessera::plan {

// It only waits for work to end, and on the nodes where it does has begun nothing but to mark and close them:
// going back then opens them, and changes no layout.
bool only_closes(const Run& run);

}  // namespace tessera::plan
