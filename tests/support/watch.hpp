// Follows a backend's events through a mailbox, as the console does.
#pragma once

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "backends/mailbox.hpp"
#include "engine/model/reduce.hpp"
#include "tests/support/patience.hpp"

namespace tessera::test {

// Takes events until `done`; false: not within the time. `longest`: between two looks at what no event tells,
// such as what a scripted server has been asked.
inline bool reduce_until(Mailbox& mailbox, Model& model, const std::function<bool()>& done,
                         std::chrono::milliseconds patience = kPatience,
                         std::chrono::milliseconds longest = std::chrono::hours(1)) {
  auto end = std::chrono::steady_clock::now() + patience;
  while (true) {
    for (Event& event : mailbox.take()) reduce(model, std::move(event));
    if (done()) return true;
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd wait{mailbox.wake_fd(), POLLIN, 0};
    ::poll(&wait, 1, static_cast<int>(std::min(left, longest).count()));
  }
}
// The same of the cluster of that name, once there is one.
inline bool reduce_until(Mailbox& mailbox, Model& model, const ClusterName& name,
                         const std::function<bool(const Cluster&)>& done, std::chrono::milliseconds patience,
                         std::chrono::milliseconds longest = std::chrono::hours(1)) {
  auto it_is_so = [&] {
    const Cluster* cluster = model.find(name);
    return cluster && done(*cluster);
  };
  return reduce_until(mailbox, model, it_is_so, patience, longest);
}

}  // namespace tessera::test
