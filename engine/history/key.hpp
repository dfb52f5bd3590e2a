// What is measured of a node line by line, as it is recognized again: of charts, of how long it is idle.
// Threads: plain values and pure functions.
#pragma once

#include <optional>

#include "engine/model/values.hpp"

namespace tessera::history {

// A line: a GPU as a whole, or one of its slices.
struct Key {
  int gpu = 0;
  bool whole = true;
  ProfileName profile;
  std::optional<int> instance_id;
  std::optional<int> device;
  int place = 0;  // among the slices of its GPU, where nothing else tells it
  friend bool operator==(const Key&, const Key&) = default;
};
Key key_of(const Gpu& gpu);
Key key_of(const Gpu& gpu, const Slice& slice);  // one of gpu.slices; one that is the GPU is a line with it

}  // namespace tessera::history
