// Which pool of a fleet file rules a node, and of which nodes that cannot be told now.
//
// A condition that is not known is not one that is not met: else a node whose driver did not answer would
// fall to the next pool, and be changed by its rule. Threads: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/fleet/survey.hpp"

namespace tessera::fleet {

// NodeSurvey::why of a node of which it is not told whether its pool takes it.
inline constexpr const char* kPoolUntold =
    "which product its GPUs are is not known, and its pool takes one product only: where its driver cannot "
    "be asked, name its nodes in the pool instead of the product";

enum class Takes : std::uint8_t {
  no,
  untold,  // all other conditions hold, and which product its GPUs are is not known
  yes,
};
Takes takes(const Pool& pool, const Cluster& cluster, const Node& node, const mig::Catalogue& catalogue);

struct Ruling {
  const Pool* pool = nullptr;        // the first that takes it, or may take it; nullptr: none does
  bool untold = false;               // it may take it
  std::vector<const Pool*> instead;  // where that is untold: one of these does if it does not, or none
  std::vector<const Pool*> also;     // pools below whose conditions it meets
};
Ruling ruling_of(const Fleet& fleet, const Cluster& cluster, const Node& node,
                 const mig::Catalogue& catalogue);

// It has GPUs, whether or not any of them is reported: the kubelet counts none where the strategy single does
// not fit them.
bool has_gpus(const Node& node);

}  // namespace tessera::fleet
