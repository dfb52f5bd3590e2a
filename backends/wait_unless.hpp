// Waits for an answer of a worker's, unless whom it is for gives up: a server may take a minute for it, and a
// console that is left does not wait so long. Threads: blocks the calling thread; stopped is called there.
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <optional>

#include "engine/model/units.hpp"

namespace tessera {

// nullopt: it was given up, not there in time, or the worker's task ended without one. What it came from must
// not refer to the caller's stack. stopped: empty: never. patience: nullopt: as long as it takes.
template <class T>
std::optional<T> wait_unless(std::future<T>& answer, const std::function<bool()>& stopped,
                             std::optional<Duration> patience = std::nullopt) {
  constexpr Duration kStep{50};
  const auto begun = std::chrono::steady_clock::now();
  while (answer.wait_for(kStep) != std::future_status::ready) {
    if (stopped && stopped()) return std::nullopt;
    if (patience && std::chrono::steady_clock::now() - begun >= *patience) return std::nullopt;
  }
  try {
    return answer.get();
  } catch (const std::future_error&) {
    return std::nullopt;  // a promise that was broken
  }
}

}  // namespace tessera
