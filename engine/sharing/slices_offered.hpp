// Whether a node's device plugin offers slices under the names of their profiles at all, whatever is cut.
// Threads: pure functions.
#pragma once

#include <optional>

#include "engine/sharing/shape.hpp"

namespace tessera::sharing {

// The strategy by which it never does: single (each as nvidia.com/gpu) or none (whole GPUs alone); nullopt:
// it may, or its strategy is not told.
std::optional<MigStrategy> offers_no_profiles(const Node& node);

}  // namespace tessera::sharing
