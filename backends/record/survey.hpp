// What is in the files of a recording, without reading more of it than its times: the first and the last
// round of each, what is missing between them, and how it ends. Threads: pure functions, but for the files
// that are read.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/record/recording.hpp"

namespace tessera::record {

// files: oldest first. One at a time is read; one that is damaged is told as such.
std::vector<DayFile> survey(const std::vector<std::string>& files);

// Why nothing follows the last line of a frame.
Stop stop_behind(std::string_view frame, std::string_view last_line);

}  // namespace tessera::record
