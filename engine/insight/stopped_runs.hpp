// Runs that stopped in the middle, as findings: their nodes are closed until they go on or go back.
// Threads: pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/insight/attention.hpp"
#include "engine/model/run_news.hpp"

namespace tessera::insight {

// hint: where such a run is looked at.
Finding finding_of(const RunHead& head, std::string hint);

// Of those that are parked or were interrupted, on a cluster of the model; others are of other worlds. One
// that waits as it was planned to is worth knowing and no more.
std::vector<Finding> stopped_runs(std::span<const RunHead> runs, const Model& model, const std::string& hint);

// Why it is not known whether others stopped: journals, or the marks of a cluster, that cannot be read.
std::optional<Error> unread_runs(std::span<const RunHead> runs, const Model& model);

}  // namespace tessera::insight
