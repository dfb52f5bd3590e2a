// Whose turn it is among work that waits, where nothing else tells: the containers keep no order.
// Threads: a pure function.
#pragma once

#include <utility>

#include "engine/model/values.hpp"

namespace tessera {

// Who came first is first, then by id; of whom that is not told comes last.
inline bool waits_longer(const Workload* left, const Workload* right) {
  const auto key = [](const Workload* one) {
    return std::pair(one->submitted.value_or(TimePoint::max()), one->id);
  };
  return key(left) < key(right);
}

}  // namespace tessera
