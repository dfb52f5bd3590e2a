// What tessera doctor tells of the fleet file that the settings name.
// Threads: the calling thread owns the model.
#pragma once

#include <vector>

#include "engine/insight/attention.hpp"
#include "engine/mig/catalogue.hpp"
#include "tui/cli/open_clusters.hpp"
#include "tui/cli/options.hpp"

namespace tessera::cli {

// What fleet run cannot do by that file, and that it is paused. Empty: nothing, no file is named, or the past
// is looked at. It lets events in, so that nothing may point into the model meanwhile.
std::vector<insight::Finding> fleet_findings(OpenClusters& clusters, const Options& options,
                                             const mig::Catalogue& catalogue);

}  // namespace tessera::cli
