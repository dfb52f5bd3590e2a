// Reads how the GPU operator of a cluster is set up: its ClusterPolicy, the configuration files of the MIG
// manager and the device plugin, and the labels of the GPU nodes.
//
// Each part is told as what it is (operators::Readings): an answer, a 404, or nothing. What could not be read
// keeps the value of the reading before, so a short trouble of the API server erases nothing; the steps that
// need a part refuse where it is unknown. Threads: the worker's.
#pragma once

#include <functional>
#include <memory>

#include "backends/kubernetes/api.hpp"
#include "engine/operators/operator_setup.hpp"

namespace tessera::kubernetes {

using SitePtr = std::shared_ptr<const operators::OperatorSetup>;
using SiteRead = std::function<void(SitePtr)>;

// Calls back once, whatever came of it. before: the last reading, or nullptr to take nothing over from one.
// now: the time that is kept with what is read.
void read_site(ApiPtr api, SitePtr before, TimePoint now, SiteRead then);

// The MIG manager's own file, as the operator's chart names it; a ClusterPolicy that names it names none of
// the site's.
inline constexpr const char* kStaticMap = "default-mig-parted-config";

}  // namespace tessera::kubernetes
