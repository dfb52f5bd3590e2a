// A node's layout as a file for its next boot, in the form that nvidia-mig-parted applies
// (github.com/NVIDIA/mig-parted v0.15.0, config format v1). Threads: pure function.
#pragma once

#include <string>
#include <vector>

#include "engine/plan/diff.hpp"

namespace tessera::plan {

// All boards of the node once `changes` are made, under the name "tessera". The format has no places: at boot
// the driver chooses them.
std::string boot_layout(const Node& node, const std::vector<BoardChange>& changes);

}  // namespace tessera::plan
