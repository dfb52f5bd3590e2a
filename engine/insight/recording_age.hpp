// Of which recording a moment is shown, and how old that is: where the recording itself fails to tell of the
// moment. Threads: pure function.
#pragma once

#include <string>

#include "engine/model/model.hpp"

namespace tessera::insight {

// "the newest round of the recording of hpc is 2 h 05 min old", by the wall clock; also where nothing of it
// was read.
std::string recording_age(const Cluster& cluster, TimePoint wall);

}  // namespace tessera::insight
