// Which fields a real server knows, in the parts of objects that tessera writes (ResourceKind::known).
//
// A request with fieldValidation=Strict is refused for others; without it a custom resource loses them, as
// structural schemas have it (pruning), and built-in kinds never store them. Threads: pure functions.
#pragma once

#include <string>
#include <vector>

#include "backends/sim/apiserver/kinds.hpp"
#include "engine/json.hpp"

namespace tessera::sim::kube {

// "spec.migManager.config.nam"; in the order of the parts.
std::vector<std::string> unknown_fields(const ResourceKind& kind, const Json& object);
// An Eviction is posted to a pod, and is of no kind that is served.
std::vector<std::string> unknown_in_eviction(const Json& eviction);
void prune(const ResourceKind& kind, Json& object);

}  // namespace tessera::sim::kube
