// The way to a Prometheus behind a cluster's API server, for commands that look back once: kubectl proxy is
// started for it and ended with it. Threads: blocks the calling thread, which is one at a time.
#pragma once

#include <memory>

#include "backends/figures/past_rounds.hpp"
#include "backends/figures/places.hpp"
#include "backends/kubernetes/proxy.hpp"

namespace tessera::kubernetes {

// Errors: kubectl does not serve within `patience`, or the nodes cannot be listed, by whose names series are
// told apart.
Result<std::unique_ptr<usage::KeptUse>> past_behind(const ProxyOptions& proxy,
                                                    const figures::ServicePlace& service, figures::PastOf of,
                                                    Duration patience);

}  // namespace tessera::kubernetes
