#include "engine/sharing/slices_offered.hpp"

#include <algorithm>

#include "engine/sharing/platform.hpp"

namespace tessera::sharing {
namespace {

// It offers some: discovery may be away, or older than the label.
bool has_instances(const Node& node) {
  const auto any = [](const std::vector<Slice>& slices) {
    return std::any_of(slices.begin(), slices.end(),
                       [](const Slice& one) { return one.kind == SliceKind::gpu_instance; });
  };
  return any(node.pool) ||
         std::any_of(node.gpus.begin(), node.gpus.end(), [&](const Gpu& gpu) { return any(gpu.slices); });
}

}  // namespace

// GPU feature discovery labels a node with its strategy unless that is none: its other labels are there then.
std::optional<MigStrategy> offers_no_profiles(const Node& node) {
  if (const auto told = told_strategy(node))
    return *told == MigStrategy::mixed ? std::nullopt : std::optional(*told);
  const bool discovered =
      label(node, "nvidia.com/mig.capable") == "true" && label(node, "nvidia.com/gpu.count");
  return discovered && !has_instances(node) ? std::optional(MigStrategy::none) : std::nullopt;
}

}  // namespace tessera::sharing
