// `tessera record list`: the files of a recording, and what is missing in them. Threads: the main one.
#pragma once

#include "tui/cli/run.hpp"

namespace tessera::cli {

// Exit code 1: a file is damaged, or the recorder is not at work and was not ended.
int list_recording(const Options& options, const Joins& joins, const Streams& streams);

}  // namespace tessera::cli
