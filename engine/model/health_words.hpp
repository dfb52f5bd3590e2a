// A node's health as people read it, in its scheduler's words: Kubernetes cordons a node and drains none by
// itself, so that one with pods is not on its way to anything. JSON keeps word(Health).
// Threads: pure functions.
#pragma once

#include <string_view>

#include "engine/model/values.hpp"

namespace tessera {

inline constexpr std::string_view kCordonedWord = "cordoned";

// "ok", "draining", "drained" on Slurm; "cordoned" on Kubernetes, with pods or without.
inline std::string_view health_word(Health health, Scheduler scheduler) {
  const bool closed = health == Health::draining || health == Health::drained;
  return closed && scheduler == Scheduler::kubernetes ? kCordonedWord : word(health);
}

}  // namespace tessera
