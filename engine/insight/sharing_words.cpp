#include "engine/insight/sharing_words.hpp"

#include <fmt/core.h>

#include <map>
#include <string_view>

#include "engine/sharing/ack.hpp"
#include "engine/sharing/amd.hpp"
#include "engine/sharing/resources.hpp"

namespace tessera::insight {
namespace {

using Modes = std::map<std::string_view, int>;

// "CPX/NPS4" by GPU; of a pool, whose GPUs are not told, what its devices are called.
Modes modes_of(const Cluster& cluster) {
  constexpr unsigned kUnknown = 1U << static_cast<unsigned>(Strategy::unknown);
  Modes modes;
  for (const Node& node : cluster.nodes.all()) {
    for (const Slice& slice : node.pool)
      if (sharing::amd::is_partition(slice)) ++modes[slice.profile.text];
    if ((node.kinds.strategies & kUnknown) == 0) continue;
    for (const Gpu& gpu : node.gpus)
      if (gpu.strategy == Strategy::unknown && !gpu.partition_mode.empty()) ++modes[gpu.partition_mode];
  }
  return modes;
}

// GPUs that are shared by shards, by what that is called on their nodes.
std::map<std::string_view, int> shards_of(const Cluster& cluster) {
  std::map<std::string_view, int> words;
  for (const Node& node : cluster.nodes.all())
    for (const Gpu& gpu : node.gpus)
      if (gpu.strategy == Strategy::shard) ++words[sharing_word(node, gpu.strategy)];
  return words;
}

}  // namespace

// HAMi offers its parts as nvidia.com/gpu; ACK those of its own sharing by memory, whatever its mode.
std::string_view sharing_word(const Node& node, Strategy strategy) {
  if (strategy != Strategy::shard || !node.allocatable) return word(strategy);
  if (node.allocatable->contains(std::string(sharing::ack::kMemory))) return "ACK";
  if (node.allocatable->contains(sharing::kubernetes_gpu())) return "HAMi";
  return word(strategy);
}

std::string_view slice_word(const Node& node, const Slice& slice) {
  if (!slice.profile.empty()) return slice.profile.view();
  return slice.kind == SliceKind::shard ? sharing_word(node, Strategy::shard) : word(slice.kind);
}

std::string sharing_words(const Cluster& cluster, const Totals& totals) {
  std::string text;
  const auto add = [&](std::string_view name, int gpus) {
    if (gpus > 0) text += fmt::format("{}{} {}", text.empty() ? "" : "  ", name, gpus);
  };
  for (const auto& [strategy, gpus] : totals.gpus_by_strategy) {
    if (strategy == Strategy::shard && cluster.scheduler == Scheduler::kubernetes) {
      const auto shards = shards_of(cluster);
      int told = 0;
      for (const auto& [name, count] : shards) told += count;
      // Sums leave out machines that another cluster counts.
      if (told == gpus)
        for (const auto& [name, count] : shards) add(name, count);
      else
        add("shared", gpus);
      continue;
    }
    if (strategy != Strategy::unknown) {
      add(word(strategy), gpus);
      continue;
    }
    const Modes modes = modes_of(cluster);
    int told = 0;
    for (const auto& [mode, count] : modes) told += count;
    // Sums leave out machines that another cluster counts; then it is not known which modes are left.
    if (told <= gpus)
      for (const auto& [mode, count] : modes) add(mode, count);
    add(word(strategy), told <= gpus ? gpus - told : gpus);
  }
  return text;
}

}  // namespace tessera::insight
