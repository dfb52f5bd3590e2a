// The lines of a GPU's page, part by part. Threads: pure functions.
#pragma once

#include "tui/screens/documents.hpp"
#include "tui/screens/pages/gpu.hpp"

namespace tessera::tui {

// Which waiting workloads ask for something that this GPU could be cut into or is; longest wait first.
std::vector<const Workload*> wanted_of(const GpuPlace& at, const mig::Catalogue& catalogue);

}  // namespace tessera::tui
