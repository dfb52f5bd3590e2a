// Whether all of a cluster is known that its own lists tell. Threads: pure functions.
#pragma once

#include "engine/model/model.hpp"

namespace tessera::insight {

// What is not listed then is not there.
bool is_read_whole(const Cluster& cluster);

}  // namespace tessera::insight
