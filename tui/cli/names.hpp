// Names of nodes and users, kept where a shell finds them that completes a line: what the last listing of a
// cluster told. A completion itself asks no cluster.
// Threads: one at a time; touches files.
#pragma once

#include <string>

#include "engine/error.hpp"
#include "engine/model/model.hpp"
#include "tui/cli/run.hpp"

namespace tessera::cli {

// $XDG_CACHE_HOME/tessera/names, else below ~/.cache; of simulated clusters apart from them. Empty: neither
// is set.
std::string names_folder(const std::string& xdg_cache_home, const std::string& home, bool simulated);

// Writes CLUSTER.nodes and CLUSTER.users there, one name a line, those that a shell needs not quote. What the
// cluster did not tell as a whole keeps what was there. Errors: the folder or a file cannot be written.
Status keep_names(const std::string& folder, const Cluster& cluster);
// The same where there is such a folder; a listing is none the worse where that fails.
void keep_names(const Joins& joins, const Options& options, const Cluster& cluster);

}  // namespace tessera::cli
