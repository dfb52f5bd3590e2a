#include "engine/sharing/ack.hpp"

#include <algorithm>

#include "engine/sharing/platform.hpp"

namespace tessera::sharing::ack {

bool decides(const Node& node) {
  if (label(node, kSchedule)) return true;
  return label(node, kPool) && !label(node, "nvidia.com/gpu.product");
}

std::string schedule_of(const Node& node) { return std::string(label(node, kSchedule).value_or(kWhole)); }

bool by_memory(std::string_view mode) {
  return mode == kMps || mode == "cgpu" || mode == "core_mem" || mode == "share";
}

std::optional<int> shares_of(const Gpu& gpu) {
  bool split = gpu.strategy == Strategy::mps || gpu.strategy == Strategy::shard;
  if (split && gpu.replicas) return gpu.replicas;
  if (!gpu.memory || gpu.memory->value < 1024) return std::nullopt;
  return static_cast<int>(std::min<std::int64_t>(gpu.memory->value / 1024, 1024));
}

}  // namespace tessera::sharing::ack
