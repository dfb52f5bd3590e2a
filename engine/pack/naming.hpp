// By which names a node hands out its slices. The same slice serves a request for one name and not for
// another: a pod that asks the device plugin gets nothing from a DRA driver, and the reverse. Threads: pure
// functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "engine/model/model.hpp"

namespace tessera::pack {

enum class Naming : std::uint8_t {
  profiles,  // each profile has a name: nvidia.com/mig-3g.40gb, gpu:3g.40gb
  claims,    // of a DRA driver's device classes: mig.nvidia.com/3g.40gb
  gpus,      // no slice has its profile's name: the strategies single (nvidia.com/gpu) and none
};
Naming naming_of(const Cluster& cluster, const Node& node);

// By which names a request can be served on these nodes at all: profiles or claims; nullopt: by both.
std::optional<Naming> naming_on(const Cluster& cluster, std::span<const NodeName> nodes);

// Why a GPU of a node with these names serves nothing that is asked for by the other one; empty: it may.
std::string why_named_otherwise(Naming node, Naming asked);

}  // namespace tessera::pack
