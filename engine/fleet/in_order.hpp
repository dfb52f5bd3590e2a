// Instances of a layout in the one order in which lists, calendars and findings print them: what is the same
// reads the same. Threads: pure functions.
#pragma once

#include <algorithm>
#include <tuple>
#include <utility>

#include "engine/plan/intent.hpp"

namespace tessera::fleet {

// By profile; of one profile those with a start by that.
inline plan::Wish in_order(plan::Wish wish) {
  std::stable_sort(wish.instances.begin(), wish.instances.end(), [](const auto& a, const auto& b) {
    return std::tie(a.profile.text, a.start) < std::tie(b.profile.text, b.start);
  });
  return wish;
}

}  // namespace tessera::fleet
