// Where the past of the clusters here is recorded. Threads: pure functions.
#pragma once

#include <string>

#include "tui/cli/options.hpp"

namespace tessera {

// The folder or file that is named; empty: none is.
const std::string& recording_named(const cli::Options& options);
// Where a recorder writes the clusters that a console shows: the folder that is named, or the usual one.
// Empty: there is none.
std::string recordings_folder(const cli::Options& options);

}  // namespace tessera
