#include "engine/history/key.hpp"

namespace tessera::history {

Key key_of(const Gpu& gpu) { return {gpu.index.value, true, {}, std::nullopt, std::nullopt, 0}; }

Key key_of(const Gpu& gpu, const Slice& slice) {
  if (slice.kind == SliceKind::whole_gpu) return key_of(gpu);
  Key key{gpu.index.value, false, slice.profile, slice.instance_id, slice.device, 0};
  if (!key.instance_id && !key.device) key.place = static_cast<int>(&slice - gpu.slices.data());
  return key;
}

}  // namespace tessera::history
