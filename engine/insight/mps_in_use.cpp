#include "engine/insight/mps_in_use.hpp"

#include <algorithm>

namespace tessera::insight {

std::vector<const Gpu*> gpus_whose_mps_is_in_use(const Node& node) {
  std::vector<const Gpu*> known;
  const Gpu* may_be = nullptr;
  for (const Gpu& gpu : node.gpus) {
    const auto held = std::find_if(gpu.slices.begin(), gpu.slices.end(), [](const Slice& slice) {
      return slice.kind == SliceKind::mps && !slice.holders.empty();
    });
    if (held == gpu.slices.end()) continue;
    if (held->exact) known.push_back(&gpu);
    if (may_be == nullptr) may_be = &gpu;
  }
  if (known.empty() && may_be != nullptr) known.push_back(may_be);
  return known;
}

}  // namespace tessera::insight
