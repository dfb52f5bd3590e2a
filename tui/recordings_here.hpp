// Where the past of the clusters here lies: the folder of a recorder, and what else knows it.
// Threads: the main one.
#pragma once

#include <memory>
#include <string>

#include "engine/mig/catalogue.hpp"
#include "engine/record/archive.hpp"
#include "tui/cli/run.hpp"

namespace tessera {

// The folder or file that is named; empty: none is.
const std::string& recording_named(const cli::Options& options);
// Where a recorder writes the clusters that a console shows: the folder that is named, or the usual one.
// Empty: there is none.
std::string recordings_folder(const cli::Options& options);
// The past of these clusters, live or as they stood (looks_back); nullptr: there is none. options and joins
// outlive it.
std::unique_ptr<record::Archive> archive_of(const cli::Options& options, const mig::Catalogue& catalogue,
                                            const cli::Joins& joins, bool looks_back);

}  // namespace tessera
