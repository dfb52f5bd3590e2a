// What a scheduler hands out as one family, and which slices that can be.
// Threads: pure functions.
#pragma once

#include "engine/model/values.hpp"

namespace tessera {

bool in_family(const Slice& slice, Family family);

}  // namespace tessera
