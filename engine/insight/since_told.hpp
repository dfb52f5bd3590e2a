// Since when what is found has been so, where its source does not tell and the console has seen it begin: by
// the log that reduce keeps.
// Threads: pure functions.
#pragma once

#include <vector>

#include "engine/insight/attention.hpp"

namespace tessera::insight {

// Of findings about GPUs (a mode that waits, what their layout leads to), daemons and answers that left
// something out. One that may be of an earlier time is left without.
void add_since(std::vector<Finding>& findings, const Model& model, const Cluster& cluster);

}  // namespace tessera::insight
