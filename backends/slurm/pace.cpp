#include "backends/slurm/pace.hpp"

#include <algorithm>

namespace tessera::slurm {
namespace {

using namespace std::chrono_literals;
constexpr Duration kFocused = 10s, kIdle = 60s, kMostBackOff = 60s, kFirstRetry = 5s,
                   kMostWait = 5min;  // one slow round must not leave us blind for long
constexpr int kShare = 20;            // at most a twentieth of the controller's time is ours

constexpr auto kLongestWait = 15s;    // between two looks at a node where nothing happens
constexpr auto kForgotten = 60s;      // one that was not looked at for so long is new
constexpr int kPart = 4;              // a look follows after such a part of the time without a change
constexpr int kGathered = 20;         // between two readings at least such a part of the time between rounds
constexpr Duration kLongestGap = 1s;  // however seldom the reader asks: a run has some twenty steps
constexpr double kBurst = 60, kEarned = 8, kOneLook = 3;  // calls

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

LookPace::LookPace(Duration interval, Instant now)
    : a_second_(1000.0 / static_cast<double>((interval > Duration(0) ? interval : kFocused).count())),
      gap_(std::min<Duration>(kLongestGap, (interval > Duration(0) ? interval : kFocused) / kGathered)),
      budget_(kBurst),
      filled_(now) {}

LookPace::Instant LookPace::own_turn(const std::string& node, Instant now) const {
  const auto known = nodes_.find(node);
  if (known == nodes_.end() || now - known->second.looked >= kForgotten) return now;
  const Watched& one = known->second;
  return std::max(now,
                  one.looked + std::min<Instant::duration>(kLongestWait, (one.looked - one.since) / kPart));
}

LookPace::Instant LookPace::due(const std::string& node, Instant now) {
  using Seconds = std::chrono::duration<double>;
  auto earliest = [&](auto wait) { return now + std::chrono::ceil<Duration>(wait); };
  budget_ = std::min(kBurst, budget_ + a_second_ * Seconds(now - filled_).count());
  filled_ = now;
  Instant when = own_turn(node, now);
  if (budget_ < kOneLook) when = std::max(when, earliest(Seconds((kOneLook - budget_) / a_second_)));
  // Nodes of one run take the same steps: those that come a moment later share the reading.
  const bool several = std::any_of(nodes_.begin(), nodes_.end(), [&](const auto& other) {
    return other.first != node && now - other.second.looked < kForgotten;
  });
  if (several) when = std::max<Instant>(when, ended_ + gap_);
  // However slow the controller is: at most a fifth of its time is ours.
  return std::max(when, ended_ + std::min<Instant::duration>(kLongestWait, (ended_ - began_) * kPart));
}

void LookPace::seen(const std::string& node, std::size_t state, Instant now) {
  Watched& one = nodes_[node];
  if (one.state != state || now - one.looked >= kForgotten) one.since = now;
  one.state = state;
  one.looked = now;
}

void LookPace::changed(const std::string& node, Instant now) {
  nodes_[node] = {now, now, std::nullopt};
  budget_ = std::min(kBurst, budget_ + kEarned);
}

}  // namespace tessera::slurm
