#include "engine/usage/worth.hpp"

#include <algorithm>

#include "engine/insight/worth.hpp"
#include "engine/mig/product_of.hpp"
#include "engine/mig/profile_name.hpp"

namespace tessera::usage {
namespace {

bool all_are(const Node* node, Strategy strategy) {
  return node && !node->gpus.empty() && node->kinds.strategies == 1U << static_cast<unsigned>(strategy);
}

SliceKind kind_of(Family family) {
  switch (family) {
    case Family::mps: return SliceKind::mps;
    case Family::shard: return SliceKind::shard;
    case Family::vgpu: return SliceKind::vgpu;
    case Family::gpu: break;
  }
  return SliceKind::time_slice;
}

Family family_of(SliceKind kind) {
  switch (kind) {
    case SliceKind::mps: return Family::mps;
    case SliceKind::shard: return Family::shard;
    case SliceKind::vgpu: return Family::vgpu;
    case SliceKind::whole_gpu:
    case SliceKind::gpu_instance:
    case SliceKind::time_slice: break;
  }
  return Family::gpu;
}

std::optional<double> units_of(const Gpu& gpu, const mig::Catalogue& catalogue) {
  const mig::Product* product = mig::product_of(gpu, catalogue);
  if (!product || product->units <= 0) return std::nullopt;
  return product->units;
}

std::optional<Worth> worth_of_share(const Node* node, SliceKind kind, const mig::Catalogue& catalogue) {
  if (!node) return std::nullopt;
  for (const Gpu& gpu : node->gpus)
    for (const Slice& slice : gpu.slices) {
      if (slice.kind != kind || slice.capacity <= 0) continue;
      const std::optional<double> part = insight::part_of(&gpu, slice, 1, catalogue);
      if (!part) return std::nullopt;
      Worth worth{std::string(word(kind)), *part, {}};
      if (const auto units = units_of(gpu, catalogue)) worth.slices = *units / slice.capacity;
      return worth;
    }
  return std::nullopt;
}

}  // namespace

std::string kind_of(const std::string& type) {
  const auto profile = mig::profile_of_slurm_type(type);
  return profile ? profile->text : type.empty() ? kUntyped : "whole";
}

// As far as all products that it may mean agree.
Worth worth_of(const std::string& type, const mig::Catalogue& catalogue) {
  const auto profile = mig::profile_of_slurm_type(type);
  Worth worth{kind_of(type)};
  if (type.empty()) return worth;
  bool first = true;
  const auto see = [&](const mig::Product& product, const mig::Profile* of) {
    if (product.units <= 0 || product.compute_slices <= 0) return;
    const double part = of ? static_cast<double>(of->compute_slices) / product.compute_slices : 1;
    const double slices = of ? of->memory_slices : product.units;
    if (first) worth.part = part, worth.slices = slices;
    if (!first && worth.slices != slices) worth.slices.reset();
    // Products that disagree: the larger part, so that nothing is counted as less than it was.
    worth.part = first ? part : std::max(worth.part, part);
    first = false;
  };
  if (!profile) {
    for (const mig::Product* product : catalogue.by_slurm_type(type, {})) see(*product, nullptr);
    return worth;
  }
  auto meant = catalogue.by_slurm_type(type, {});
  if (meant.empty())
    for (const mig::Product& product : catalogue.products()) meant.push_back(&product);
  for (const mig::Product* product : meant)
    if (const mig::Profile* of = product->find(profile->text)) see(*product, of);
  return worth;
}

int placed(const Node* node, const WorkloadId& workload, const Allocation& held) {
  if (!node) return 0;
  const auto profile = mig::profile_of_slurm_type(held.type);
  int units = 0;
  for (const Gpu& gpu : node->gpus)
    for (const Slice& slice : gpu.slices) {
      if (!slice.exact || family_of(slice.kind) != held.family) continue;
      if (profile && slice.profile != *profile) continue;
      for (const Holder& holder : slice.holders)
        if (holder.workload == workload) units += slice.capacity > 1 ? std::max(1, holder.share) : 1;
    }
  return units;
}

std::optional<Worth> worth_of(const Node* node, const Allocation& held, const mig::Catalogue& catalogue) {
  if (held.family != Family::gpu || all_are(node, Strategy::time_slicing))
    return worth_of_share(node, kind_of(held.family), catalogue);
  Worth worth = worth_of(held.type, catalogue);
  if (!all_are(node, Strategy::whole)) return worth;
  worth.profile = "whole", worth.part = 1, worth.slices = units_of(node->gpus.front(), catalogue);
  return worth;
}

}  // namespace tessera::usage
