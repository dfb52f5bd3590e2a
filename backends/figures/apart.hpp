// How far apart two answers of one exporter are, by how long those that answer have waited since their last
// one, and how long they had waited for that one: where few answer, the first alone falls to nothing with
// each answer. Threads: values; one owner.
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
  void answered(const std::string& id, Time now) {
    const auto before = last_.find(id);
    const bool in_one_go = before != last_.end() && before->second.at >= since_ && now <= until_;
    last_.insert_or_assign(id, Answer{now, in_one_go ? waited(before->second.at, now) : Duration{0}});
  }
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
      if (last.at >= since_) longest = std::max({longest, last.waited, waited(last.at, now)});
    return longest;
  }

 private:
  static constexpr Duration kSlack{20'000};
  struct Answer {
    Time at{};
    Duration waited{0};  // since the one before; 0: that is not known
  };
  static Duration waited(Time since, Time now) { return std::chrono::floor<Duration>(now - since); }
  Time since_{}, until_{};
  std::map<std::string, Answer> last_;
};

}  // namespace tessera::figures
