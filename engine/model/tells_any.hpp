// Whether anything is measured of a GPU or a slice: one list of the figures that there are, for the model and
// for those who write and read recordings. Threads: pure functions.
#pragma once

#include "engine/model/telemetry.hpp"
#include "engine/model/values.hpp"

namespace tessera {

inline bool tells_any(const Telemetry& told) {
  return told.use || told.memory_used || told.temperature || told.power || told.licensed || told.tensor ||
         told.memory_busy;
}

// A Slice, or SliceFigures: both have the same figures.
template <class OfSlice>
bool tells_any_of_slice(const OfSlice& told) {
  return told.use || told.memory_used || told.tensor || told.memory_busy;
}
inline bool tells_any(const Slice& slice) { return tells_any_of_slice(slice); }
inline bool tells_any(const SliceFigures& figures) { return tells_any_of_slice(figures); }

}  // namespace tessera
