// The three ways to patch an object: RFC 7386 (merge), RFC 6902 (JSON patch) and Kubernetes' strategic merge.
//
// Strategic merge as of apimachinery 1.20: lists of conditions, containers, addresses ... are merged by their
// key, others are replaced; the directives $patch, $retainKeys, $setElementOrder and $deleteFromPrimitiveList
// are understood. Threads: pure functions of values.
#pragma once

#include <string_view>
#include <variant>

#include "backends/sim/apiserver/refusal.hpp"

namespace tessera::sim::kube {

Json merge_patch(Json target, const Json& patch);
std::variant<Json, Refusal> strategic_patch(const Json& target, const Json& patch);
// Refuses with 422 when a test fails or a place does not exist, with 400 what is no patch.
std::variant<Json, Refusal> json_patch(Json target, const Json& patch);

}  // namespace tessera::sim::kube
