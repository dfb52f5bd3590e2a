// A recording on the disk as a past to look at (engine/record/recording.hpp).
// Threads: the object belongs to one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/record/recording.hpp"

namespace tessera::record {

// A file, a cluster's folder, or a recorder's folder, in which several clusters may lie. Errors: nothing is
// recorded there, or it cannot be read.
Result<std::vector<std::unique_ptr<Recording>>> open_recordings(const std::string& path);

}  // namespace tessera::record
