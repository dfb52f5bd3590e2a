// Bodies in Kubernetes' protobuf, which newer kubectls send for a few built-in kinds, as JSON values.
//
// Read by the field numbers of k8s.io/api v0.32 (generated.proto): ConfigMap, Namespace, Eviction,
// DeleteOptions and the reviews; fields that no request to this server needs are skipped. Answers are JSON,
// which every client that sends protobuf takes, too. Threads: pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "backends/sim/apiserver/value.hpp"

namespace tessera::sim::kube {

bool is_protobuf(std::string_view body);  // begins with "k8s\0"
// nullopt: broken, or of a kind that is not known here.
std::optional<Json> parse_protobuf(std::string_view body);

}  // namespace tessera::sim::kube
