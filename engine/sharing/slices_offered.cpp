#include "engine/sharing/slices_offered.hpp"

#include "engine/sharing/platform.hpp"

namespace tessera::sharing {
// GPU feature discovery labels a node with its strategy unless that is none: its other labels are there then.
std::optional<MigStrategy> offers_no_profiles(const Node& node) {
  if (const auto told = told_strategy(node))
    return *told == MigStrategy::mixed ? std::nullopt : std::optional(*told);
  const bool discovered =
      label(node, "nvidia.com/mig.capable") == "true" && label(node, "nvidia.com/gpu.count");
  return discovered ? std::optional(MigStrategy::none) : std::nullopt;
}

}  // namespace tessera::sharing
