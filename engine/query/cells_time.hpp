// Cells from what was measured over time: how use went in the last minutes, and since when there is none.
// Threads: pure functions.
#pragma once

#include <string>

#include "engine/query/tables.hpp"

namespace tessera::query {

// A bar for each of the last ten minutes; NotTold without any sample.
Value trend(const NodeRow& row, const Context& context);
Value trend(const GpuRow& row, const Context& context);
Value trend(const SliceRow& row, const Context& context);
Value trend(const WorkloadRow& row, const Context& context);
// The same bars with ASCII characters.
std::string trend_in_ascii(std::string_view bars);

// Seconds for which a holder has not used it (below 1 %, every sample); AtLeast where samples do not reach
// back to when that began; empty where it is not held or is in use, NotTold where nothing measures its use.
Value idle(const NodeRow& row, const Context& context);
Value idle(const GpuRow& row, const Context& context);
Value idle(const SliceRow& row, const Context& context);
Value idle(const WorkloadRow& row, const Context& context);

// What a workload holds of which it is known that it holds it.
std::vector<SliceRow> slices_held(const WorkloadRow& row);

}  // namespace tessera::query
