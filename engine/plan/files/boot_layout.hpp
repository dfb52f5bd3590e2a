// A node's layout in the form that nvidia-mig-parted applies, for its next boot or at once
// (github.com/NVIDIA/mig-parted v0.15.0, config format v1). Threads: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/effect/diff.hpp"

namespace tessera::plan {

// All GPUs of the node once `changes` are made. The format has no places: the driver chooses them.
std::string boot_layout(const Node& node, const std::vector<BoardChange>& changes);
// Only the GPUs among `changes` whose instances or mode change: mig-parted leaves alone what no row names.
std::string recut_layout(const Node& node, const std::vector<BoardChange>& changes);

inline constexpr const char* kLayoutName = "tessera";  // in both

}  // namespace tessera::plan
