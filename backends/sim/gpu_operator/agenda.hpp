// What is still to happen in a simulated cluster, by its own clock.
//
// Played in order of time, and of entry where times are equal, so that the steps in which a clock is moved
// make no difference. Threads: a plain object; used on one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/model/units.hpp"

namespace tessera::sim::kube {

class Agenda {
 public:
  using Ticket = std::pair<TimePoint, std::uint64_t>;

  Ticket at(TimePoint when, std::function<void()> act) {
    Ticket ticket{when, ++last_};
    due_.emplace(ticket, std::move(act));
    return ticket;
  }
  void cancel(const Ticket& ticket) { due_.erase(ticket); }
  std::optional<TimePoint> next() const {
    return due_.empty() ? std::nullopt : std::optional(due_.begin()->first.first);
  }
  // Plays the first one. Precondition: there is one.
  void play() {
    auto node = due_.extract(due_.begin());
    node.mapped()();
  }

 private:
  std::map<Ticket, std::function<void()>> due_;
  std::uint64_t last_ = 0;
};

}  // namespace tessera::sim::kube
