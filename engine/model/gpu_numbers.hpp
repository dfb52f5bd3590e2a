// Whether the numbers of a node's GPUs are those of its driver.
// Threads: pure functions.
#pragma once

#include <algorithm>

#include "engine/model/values.hpp"

namespace tessera {

// Slurm counts MIG instances and whole GPUs of a node in one row, so that the number of a whole GPU beside
// instances says nothing of the GPU: only a look at the node does, which tells what stands on which GPU.
inline bool numbers_told(const Node& node) {
  const bool looked_at = std::any_of(node.gpus.begin(), node.gpus.end(),
                                     [](const Gpu& gpu) { return gpu.strategy == Strategy::mig; });
  return looked_at || std::none_of(node.pool.begin(), node.pool.end(),
                                   [](const Slice& slice) { return slice.kind == SliceKind::gpu_instance; });
}

}  // namespace tessera
