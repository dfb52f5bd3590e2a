// Whether a job or pod holds a slice, or anything at all. Threads: pure functions.
#pragma once

#include <algorithm>

#include "engine/model/values.hpp"

namespace tessera {

// Among others, too, and where it is one of those that hold a set of slices (Slice::exact).
inline bool is_held_by(const Slice& slice, const WorkloadId& id) {
  return std::any_of(slice.holders.begin(), slice.holders.end(),
                     [&](const Holder& holder) { return holder.workload == id; });
}

// Its scheduler has given it something, on whichever node.
inline bool holds_any(const Workload& workload) {
  return std::any_of(workload.allocations.begin(), workload.allocations.end(),
                     [](const Allocation& one) { return one.count > 0 || !one.devices.empty(); });
}

}  // namespace tessera
