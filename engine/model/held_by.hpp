// Whether one job or pod holds a slice. Threads: pure functions.
#pragma once

#include <algorithm>

#include "engine/model/values.hpp"

namespace tessera {

// Among others, too, and where it is one of those that hold a set of slices (Slice::exact).
inline bool is_held_by(const Slice& slice, const WorkloadId& id) {
  return std::any_of(slice.holders.begin(), slice.holders.end(),
                     [&](const Holder& holder) { return holder.workload == id; });
}

}  // namespace tessera
