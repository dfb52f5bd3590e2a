#include "backends/slurm/change/boards.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tessera::slurm {
namespace {

struct Use {
  int all = 0, held = 0, unknown = 0;
  void count(const std::optional<bool>& told) {
    ++all;
    held += told.value_or(false);
    unknown += !told;
  }
  std::optional<bool> of_each() const {
    if (unknown > 0 && held < all) return std::nullopt;
    if (held == 0) return false;
    if (held == all) return true;
    return std::nullopt;
  }
};

// What Slurm says of the instances of each profile.
std::map<ProfileName, Use> uses_of(const std::vector<Slice>& pool) {
  std::map<ProfileName, Use> uses;
  for (const Slice& slice : pool) uses[slice.profile].count(slice.told_held);
  return uses;
}

bool nobody_there(const Node& node) {
  if (node.cpus_held.value_or(1) != 0) return false;
  auto held = [](const Slice& slice) { return slice.told_held.value_or(false); };
  return std::none_of(node.pool.begin(), node.pool.end(), held) &&
         std::none_of(node.gpus.begin(), node.gpus.end(), [&](const Gpu& gpu) {
           return std::any_of(gpu.slices.begin(), gpu.slices.end(), held);
         });
}

}  // namespace

void lay_boards(Node& node, std::vector<Gpu> boards) {
  const std::map<ProfileName, Use> uses = uses_of(node.pool);
  const bool empty = nobody_there(node);
  const auto whole = std::count_if(boards.begin(), boards.end(),
                                   [](const Gpu& gpu) { return gpu.strategy != Strategy::mig; });
  // Slurm counts its own devices: they are the GPUs only while it speaks of as many of them.
  const bool fits = static_cast<std::size_t>(whole) == node.gpus.size();
  std::size_t next = 0;
  for (Gpu& board : boards) {
    if (board.strategy != Strategy::mig) {
      bool used = !board.slices.empty() && board.slices.front().told_held.value_or(false);
      if (fits) {
        Gpu& told = node.gpus[next++];
        board.strategy = told.strategy;
        board.replicas = told.replicas;
        board.slices = std::move(told.slices);
      } else if (!board.slices.empty() && empty) {
        board.slices.front().told_held = false;
      }
      if (used)
        for (Slice& slice : board.slices) slice.told_held = true;
      continue;
    }
    for (Slice& slice : board.slices) {
      if (slice.told_held.value_or(false)) continue;
      auto use = uses.find(slice.profile);
      slice.told_held = empty               ? std::optional(false)
                        : use == uses.end() ? std::nullopt
                                            : use->second.of_each();
    }
  }
  node.gpus = std::move(boards);
  node.pool.clear();
}

}  // namespace tessera::slurm
