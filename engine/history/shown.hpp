// What a node shows now, as one sample of each of its lines: the GPU, and the slices on it.
// Threads: pure functions of values.
#pragma once

#include "engine/history/history.hpp"

namespace tessera::history {

// The newest time at which something of the node was measured, and by whom; Source::none: nothing was.
Origin measured_at(const Node& node);

// Of the slice, or of the GPU (slice null); use and what is busy of the slice that is the whole GPU where
// only that tells. Memory in percent of the GPU's, where the GPU tells how much it has.
Sample sample_of(const Gpu& gpu, const Slice* slice);

// A kept sample is in steps. Where the line's newest was measured when the node shows it was, it gets the
// figures as they were told: what a chart says of now is then what the page says of now.
void tell_newest(Line& line, const Node& node, const Gpu& gpu, const Slice* slice);

}  // namespace tessera::history
