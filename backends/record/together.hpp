// Recordings of several clusters that are looked at together: one moment for all of them, which not each of
// them need have recorded.
// Threads: all methods from any thread.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>

#include "engine/model/units.hpp"
#include "engine/record/recording.hpp"

namespace tessera::record {

class Together {
 public:
  // whole: what each of them covers is told before a moment is shown. Else they are opened one by one, and
  // only what plays ends where all have ended: a moment that is asked for must be the same for those that
  // are opened first.
  explicit Together(bool whole) : whole_(whole) {}

  void covers(const ClusterName& cluster, const Covered& stretch) {
    const std::lock_guard lock(mutex_);
    each_.insert_or_assign(cluster, stretch);
  }
  // The moment for one that is asked for: the nearest one that any of them covers or lies between them.
  TimePoint moment_for(TimePoint asked) const {
    const auto all = whole_ ? stretch() : std::nullopt;
    return all ? std::clamp(asked, all->from, std::max(all->from, all->to)) : asked;
  }
  // The moment at which what plays ends; at the latest.
  TimePoint end_for(TimePoint moment) const {
    const auto all = stretch();
    return all ? std::min(moment, all->to) : moment;
  }

 private:
  std::optional<Covered> stretch() const {
    const std::lock_guard lock(mutex_);
    std::optional<Covered> all;
    for (const auto& [cluster, one] : each_)
      all = all ? Covered{std::min(all->from, one.from), std::max(all->to, one.to)} : one;
    return all;
  }

  const bool whole_;
  mutable std::mutex mutex_;
  std::map<ClusterName, Covered> each_;
};

}  // namespace tessera::record
