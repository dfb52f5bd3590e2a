// How the GPUs of a cluster are shared, in words: "whole 12  mig 3", AMD's by their partition modes.
// Threads: pure functions of values.
#pragma once

#include <string>
#include <string_view>

#include "engine/insight/totals.hpp"

namespace tessera::insight {

// totals: of this cluster. Empty: it has no GPUs that are told.
std::string sharing_words(const Cluster& cluster, const Totals& totals);
// word(strategy); of parts of memory that a platform's own plugin hands out, which are no shards of Slurm's,
// the platform's name: "HAMi", "ACK".
std::string_view sharing_word(const Node& node, Strategy strategy);
// What a list calls a slice: its profile, or how it is shared on that node ("whole", "HAMi").
std::string_view slice_word(const Node& node, const Slice& slice);

}  // namespace tessera::insight
