// A recording on the disk as a past to look at (engine/record/recording.hpp).
// Threads: the object belongs to one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "engine/record/recording.hpp"

namespace tessera::record {

// A file, a cluster's folder, or a recorder's folder, in which several clusters may lie. Errors: nothing is
// recorded there, or it cannot be read.
Result<std::vector<std::unique_ptr<Recording>>> open_recordings(const std::string& path);
// The same, of which so many threads read the days of a span (Recording::read_pieces()); in open_recordings()
// as many as there are processors, and kMostReaders at most: each has a day's file and a round of it in
// memory.
inline constexpr std::size_t kMostReaders = 4;
Result<std::vector<std::unique_ptr<Recording>>> open_recordings_with(const std::string& path,
                                                                     std::size_t threads);

}  // namespace tessera::record
