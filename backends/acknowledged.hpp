// Where a user's acknowledged findings lie: one small file, replaced as a whole.
//
// Two consoles of one user that acknowledge in the same moment may lose one of the two notes: a finding then
// calls for attention again.
// Threads: no shared state; blocks for the disk.
#pragma once

#include <string>
#include <vector>

#include "engine/insight/acknowledged.hpp"

namespace tessera {

// No file, or no folder: nothing was acknowledged. Errors: it cannot be read.
Result<std::vector<insight::Acknowledgement>> read_acknowledged(const std::string& path);

// Puts one more into the file, or takes it out (insight::with). A file that cannot be read is replaced.
// Errors: it cannot be written; empty path: neither XDG_STATE_HOME nor HOME is set.
Status keep_acknowledged(const std::string& path, const insight::Acknowledgement& one, TimePoint wall);

}  // namespace tessera
