// Runs as the room lists them: found by name, and told as a table or as JSON.
// Threads: the calling thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tui/cli/change/follow.hpp"
#include "tui/cli/change/wish.hpp"

namespace tessera::cli {

// Asks the room for the list and waits for it. Exit codes: kUnknown when nothing comes in time.
Or<std::vector<RunHead>> list_runs(OpenClusters& clusters, const Options& options);
// One of them by its name; kUsage with the nearest names when there is none.
Or<RunHead> find_run(const std::vector<RunHead>& runs, const std::string& name);
// All of its journal.
Or<Followed> read_run(OpenClusters& clusters, const Options& options, const std::string& run);

// What others have changed in its journal since this user left it; empty: nothing.
std::string changed_text(const RunHead& head, const tui::WordsPtr& words);
// That these steps are called otherwise in the file; empty: none is.
std::string renamed_text(const std::vector<std::string>& steps);

std::string_view word(RunState state);  // "running" "parked" ...

}  // namespace tessera::cli
