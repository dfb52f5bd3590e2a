// Work that cannot start however long it waits, and quotas that are used up: findings about what is asked
// for. Threads: pure functions.
#pragma once

#include <vector>

#include "engine/insight/attention.hpp"

namespace tessera::insight {

std::vector<Finding> stuck_work(const Cluster& cluster);

}  // namespace tessera::insight
