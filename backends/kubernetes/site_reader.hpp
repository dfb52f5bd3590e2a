// Reads how the GPU operator of a cluster is set up: its ClusterPolicy, the configuration files of the MIG
// manager and the device plugin, and the labels of the GPU nodes.
//
// What may not be read stays empty; the steps that need it say so. Threads: the worker's.
#pragma once

#include <functional>
#include <memory>

#include "backends/kubernetes/api.hpp"
#include "engine/operators/site.hpp"

namespace tessera::kubernetes {

using SiteRead = std::function<void(std::shared_ptr<const operators::Site>)>;

// Calls back once, whatever came of it.
void read_site(Api& api, SiteRead then);

}  // namespace tessera::kubernetes
