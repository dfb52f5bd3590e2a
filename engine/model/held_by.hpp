// Whether a job or pod holds a slice, or anything at all; what nobody holds of one. Threads: pure functions.
#pragma once

#include <algorithm>
#include <optional>

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

// Shares of a slice that nobody holds, in its capacity units, wherever it is; nullopt: not known.
inline std::optional<int> unheld(const Slice& slice) {
  if (slice.holding == Holding::unknown) return std::nullopt;
  if (slice.holding == Holding::free) return slice.capacity;
  if (slice.capacity == 1 || slice.holders.empty()) return 0;
  int held = 0;
  for (const Holder& holder : slice.holders) {
    if (holder.share <= 0) return std::nullopt;
    held += holder.share;
  }
  return std::max(0, slice.capacity - held);
}

}  // namespace tessera
