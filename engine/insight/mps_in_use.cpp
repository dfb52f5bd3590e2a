#include "engine/insight/mps_in_use.hpp"

namespace tessera::insight {

const Gpu* only_gpu_whose_mps_is_in_use(const Node& node) {
  const Gpu *known = nullptr, *may_be = nullptr;
  for (const Gpu& gpu : node.gpus)
    for (const Slice& slice : gpu.slices) {
      if (slice.kind != SliceKind::mps || slice.holders.empty()) continue;
      const Gpu*& in_use = slice.exact ? known : may_be;
      if (slice.exact && known != nullptr && known != &gpu) return nullptr;
      if (in_use == nullptr) in_use = &gpu;
    }
  return known != nullptr ? known : may_be;
}

}  // namespace tessera::insight
