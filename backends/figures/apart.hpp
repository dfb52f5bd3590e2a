// How far apart two answers of one exporter are, by how long those that answer have waited since their last
// one: shortly before it is asked again, each has waited for all others. Threads: values; one owner.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>

#include "engine/model/units.hpp"

namespace tessera::figures {

class Apart {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // Something goes on now, and something will within `next`: where it does not, the machine stood still, and
  // what was waited until then says nothing of rounds.
  void awake(Time now, Duration next) {
    if (now > until_) since_ = now;
    until_ = now + next + kSlack;
  }
  void answered(const std::string& id, Time now) { last_[id] = now; }
  // Nothing of it counts until it answers again: that it is silent makes no figure of it younger.
  void failed(const std::string& id) { last_.erase(id); }
  template <class IsGone>
  void forget(IsGone is_gone) {
    std::erase_if(last_, [&](const auto& one) { return is_gone(one.first); });
  }
  // 0: none of them waits for a second answer.
  Duration longest(Time now) const {
    Duration longest{0};
    if (now > until_) return longest;
    for (const auto& [id, last] : last_)
      if (last >= since_) longest = std::max(longest, std::chrono::floor<Duration>(now - last));
    return longest;
  }

 private:
  static constexpr Duration kSlack{20'000};
  Time since_{}, until_{};
  std::map<std::string, Time> last_;
};

}  // namespace tessera::figures
