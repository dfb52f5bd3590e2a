#include "backends/slurm/pace.hpp"

#include <algorithm>

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
constexpr Duration kFocused = 10s, kIdle = 60s, kMostBackOff = 60s, kFirstRetry = 5s,
                   kMostWait = 5min;  // one slow round must not leave us blind for long
constexpr int kShare = 20;            // at most a twentieth of the controller's time is ours
constexpr auto kWindow = 5min;

}  // namespace

Duration Pacer::base() const {
  if (chosen_ > Duration(0)) return chosen_;
  return pace_ == Pace::focused ? kFocused : kIdle;
}

void Pacer::round_ended(Duration took, bool failed) {
  failures_ = failed ? failures_ + 1 : 0;
  // A failed round says nothing about how long an answer takes.
  if (!failed) latency_ = took;
}

Duration Pacer::interval() const {
  if (failures_ == 0) return std::max(base(), std::min(latency_ * kShare, kMostWait));
  Duration first = std::min(kFirstRetry, base());
  return std::min(kMostBackOff, first * (1 << std::min(failures_ - 1, 10)));
}

void Pacer::called(Instant now) { calls_.push_back(now); }

double Pacer::calls_per_minute(Instant now) {
  while (!calls_.empty() && now - calls_.front() > kWindow) calls_.pop_front();
  auto span = std::clamp<std::chrono::steady_clock::duration>(now - since_, 1min, kWindow);
  return static_cast<double>(calls_.size()) / std::chrono::duration<double, std::ratio<60>>(span).count();
}

}  // namespace tessera::slurm
