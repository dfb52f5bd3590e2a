// What the sensors of a GPU read: tied to the load, and otherwise a pure function of seed, GPU and time.
//
// No state and no history: the same world read twice at one time gives the same figures, and a world that is
// read after a day needs no catching up. Time counts in steps of five seconds.
// Threads: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "backends/sim/slots.hpp"

namespace tessera::sim {

struct Load {
  float use = 0;     // 0..1 of what is looked at
  float memory = 0;  // 0..1 of its memory
  float tensor = 0;  // 0..1 of the time in which its tensor pipes are busy
  float bus = 0;     // ... its memory interface
};

// What one workload does with one slice that it has for itself.
Load load_of(Character does, std::uint64_t seed, JobId job, TimePoint at);
// A slot with all who share it; shared slots add up to one at most.
Load load_of(const std::vector<Hold>& holds, bool hidden, int capacity, std::uint64_t seed, TimePoint at);
// What each of those who share it uses of it by itself, in their order: with what no one is told to hold
// (hidden) they come to load_of() of all.
std::vector<Load> own_loads(const std::vector<Hold>& holds, bool hidden, int capacity, std::uint64_t seed,
                            TimePoint at);

// What the process that no scheduler knows of uses of it beside them.
Load hidden_load(const std::vector<Hold>& holds, int capacity, std::uint64_t seed, TimePoint at);

struct Reading {
  Load load;
  float celsius = 0;
  float watts = 0;
};
// The GPU as a whole. `key` tells GPUs apart.
Reading read_board(const NodeGroup& group, const Board& board, std::uint64_t seed, std::uint64_t key,
                   TimePoint at);

}  // namespace tessera::sim
