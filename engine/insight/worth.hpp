// What a workload holds, in GPUs: a whole GPU is 1, a slice its part of the compute slices.
// Threads: pure function of values.
#pragma once

#include <optional>

#include "engine/mig/catalogue.hpp"
#include "engine/model/model.hpp"

namespace tessera::insight {

// GPUs' worth that the workload holds in all: three 1g.10gb of an H100 are 3/7, half the shares of a GPU 1/2.
// nullopt: of a part it is not known.
std::optional<double> gpus_worth(const Cluster& cluster, const Workload& workload,
                                 const mig::Catalogue& catalogue);

// The part of a GPU that `share` of such a slice is: of an instance that is shared itself, that part of the
// instance's. gpu null, or its product not known: not known for instances.
std::optional<double> part_of(const Gpu* gpu, const Slice& slice, int share, const mig::Catalogue& catalogue);

// Memory of the slice: of a GPU instance by its profile, of all others the GPU's, which they share. nullopt:
// not known.
std::optional<Mib> memory_of(const Gpu& gpu, const Slice& slice, const mig::Catalogue& catalogue);

}  // namespace tessera::insight
