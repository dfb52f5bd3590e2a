// A line of a node, of which a recording has figures: a GPU, or one of its slices.
// Threads: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "engine/model/values.hpp"

namespace tessera::record {

struct Line {
  Gpu* gpu = nullptr;      // null: the node has no such line
  Slice* slice = nullptr;  // of it, where that is meant
};
// "0" a GPU, "0.1" its second slice.
Line find_line(Node& node, std::string_view name);

// As letters have them: the GPUs, then the slices of each. line: of that node, and there.
std::size_t lines_in(const Node& node);
std::size_t place_of(const Node& node, const Line& line);

// When something of it was measured last; TimePoint{}: nothing was.
TimePoint measured_last(const Node& node);

}  // namespace tessera::record
