#include "engine/mig/could_be.hpp"

#include <algorithm>

namespace tessera::mig {
namespace {

bool held_whole(const Gpu& gpu) {
  return std::any_of(gpu.slices.begin(), gpu.slices.end(), [](const Slice& slice) {
    return slice.kind == SliceKind::whole_gpu && slice.holding == Holding::held;
  });
}

bool overlap(const Placement& a, const Placement& b) {
  return a.start < b.start + b.size && b.start < a.start + a.size;
}

std::vector<std::size_t> in_way(const Gpu& gpu, const Placement& wanted) {
  std::vector<std::size_t> by;
  for (std::size_t i = 0; i < gpu.slices.size(); ++i) {
    const Slice& slice = gpu.slices[i];
    if (slice.holding != Holding::held) continue;
    if (slice.kind == SliceKind::whole_gpu || (slice.placement && overlap(*slice.placement, wanted)))
      by.push_back(i);
  }
  return by;
}

}  // namespace

std::optional<Layout> held_layout(const Product& product, const Gpu& gpu) {
  Layout layout;
  for (const Slice& slice : gpu.slices) {
    if (slice.holding == Holding::unknown) return std::nullopt;
    if (slice.kind == SliceKind::whole_gpu || slice.holding == Holding::free) continue;
    const auto profile = product.index_of(slice.profile.text);
    if (slice.kind != SliceKind::gpu_instance || !profile || !slice.placement) return std::nullopt;
    layout.push_back({*profile, slice.placement->start});
  }
  std::sort(layout.begin(), layout.end());
  return is_legal(product, layout) ? std::optional(std::move(layout)) : std::nullopt;
}

std::optional<std::vector<CouldBe>> could_be(const Product& product, const Gpu& gpu) {
  const auto held = held_layout(product, gpu);
  if (!held) return std::nullopt;
  const bool whole = held_whole(gpu);
  std::vector<CouldBe> all;
  for (const int index : base_profiles(product, true)) {
    const Profile& profile = product.profiles[static_cast<std::size_t>(index)];
    CouldBe one;
    one.profile = index;
    for (const int start : profile.starts)
      if (!whole && fits(product, *held, {index, start}))
        one.free.push_back(start);
      else
        one.blocked.push_back({start, in_way(gpu, {start, profile.memory_slices})});
    for (std::vector<int> wanted{index}; !one.free.empty() && place(product, wanted, *held);
         wanted.push_back(index))
      ++one.together;
    all.push_back(std::move(one));
  }
  return all;
}

}  // namespace tessera::mig
