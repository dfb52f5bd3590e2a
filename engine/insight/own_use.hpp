// What one of several holders of a GPU or an instance uses of it by itself: as an exporter tells it of a pod,
// or as its processes come to where the driver and the scheduler tell those. Threads: pure functions.
#pragma once

#include <optional>

#include "engine/model/model.hpp"

namespace tessera::insight {

struct OwnFigures {
  std::optional<Percent> use;
  std::optional<Mib> memory;
  Origin origin;  // both are this source's
};

// Never a part of the figures of all. nullopt: not told, or told before this holder began. Precondition: the
// slice is one of the GPU's.
std::optional<OwnFigures> own_figures(const Cluster& cluster, const Node& node, const Gpu& gpu,
                                      const Slice& slice, const WorkloadId& holder);

}  // namespace tessera::insight
