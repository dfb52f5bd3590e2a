// How often to ask, so that we stay a light guest: quick for who looks, slow for who does not, slower for a
// controller that is slow, and backing off from one that is down.
// Threads: plain values; time is passed in.
#pragma once

#include <chrono>
#include <deque>

#include "engine/port.hpp"

namespace tessera::slurm {

class Pacer {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // interval: asked for by the user instead of 10 s and 60 s; 0: none.
  Pacer(Duration interval, Instant now) : chosen_(interval), since_(now) {}

  void set_pace(Pace pace) { pace_ = pace; }
  // A round took so long in calls; whether any of them failed.
  void round_ended(Duration took, bool failed);
  // From the start of one round to the start of the next.
  Duration interval() const;

  void called(Instant now);
  // Over the last five minutes, or as long as we run.
  double calls_per_minute(Instant now);

 private:
  Duration base() const;
  Duration chosen_;
  Instant since_;
  Pace pace_ = Pace::focused;
  Duration latency_{0};
  int failures_ = 0;
  std::deque<Instant> calls_;
};

}  // namespace tessera::slurm
