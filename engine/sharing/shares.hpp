// Which ways of sharing hand a GPU out in shares, and how many there are where that is not for anyone to
// choose. Threads: pure functions.
#pragma once

#include <optional>

#include "engine/model/model.hpp"

namespace tessera::sharing {

constexpr bool in_shares(Strategy strategy) {
  return strategy == Strategy::mps || strategy == Strategy::time_slicing || strategy == Strategy::shard;
}

// Under MPS: by Slurm percent of the GPU, 100 (gres.html, 22.05), unless the node's GPUs have another
// count already; by ACK GiB of its memory. nullopt: whoever wishes says how many.
std::optional<int> fixed_shares(Scheduler scheduler, const Node& node, const Gpu& gpu, Strategy strategy);

}  // namespace tessera::sharing
