// A Node object → the model's node: its GPUs and slices as far as the API reports them, its health in the
// scheduler's own words, the layout that is ordered for it.
//
// The API reports how many slices of a kind a node has, not where they stand. Where only one way is left
// (every GPU cut alike, by a layout that the MIG manager has made) the slices are given to GPUs, without
// places, and the GPUs say that this is concluded (Source::inferred); else they are the node's pool. Threads:
// pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/kubernetes/objects/objects.hpp"
#include "backends/kubernetes/objects/sharing_of.hpp"
#include "engine/model/values.hpp"

namespace tessera::kubernetes {

// Why a node is closed where nobody has left a reason on it.
inline constexpr const char* kCordoned = "cordoned";

// busy: GPU work runs there, so that a closed node is draining, not drained; nullopt: its pods are not known,
// and it is not called drained. components are added by the caller (components.hpp).
Node node_of(const NodeObject& object, const NodeSharing& sharing, std::optional<bool> busy, Origin origin);

// CPUs and memory that pods have requested there. requested: by those that are known; others may have more,
// so that what is left is the most that there may be, in whole CPUs and MiB.
void set_requested(Node& node, const NodeObject& object, const Compute& requested);

// The layout that is ordered for it, with who wrote that label last as far as its managedFields tell.
LayoutOrder order_of(const NodeObject& object, std::string config, std::string state,
                     std::optional<TimePoint> since);

// The labels worth showing, as "key=value", sorted.
std::vector<std::string> features_of(const NodeObject& object);

}  // namespace tessera::kubernetes
