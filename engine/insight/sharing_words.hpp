// How the GPUs of a cluster are shared, in words: "whole 12  mig 3", AMD's by their partition modes.
// Threads: pure function of values.
#pragma once

#include <string>

#include "engine/insight/totals.hpp"

namespace tessera::insight {

// totals: of this cluster. Empty: it has no GPUs that are told.
std::string sharing_words(const Cluster& cluster, const Totals& totals);

}  // namespace tessera::insight
