// How often to ask, so that we stay a light guest: quick for who looks, slow for who does not, slower for a
// controller that is slow, and backing off from one that is down.
// Threads: plain values; time is passed in.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "backends/meter.hpp"
#include "engine/port.hpp"

namespace tessera::slurm {

class Pacer {
 public:
  using Instant = std::chrono::steady_clock::time_point;

  // interval: asked for by the user instead of 10 s and 60 s; 0: none.
  Pacer(Duration interval, Instant now) : chosen_(interval), meter_(now, std::chrono::minutes(1)) {}

  void set_pace(Pace pace) { pace_ = pace; }
  // A round took so long in calls; whether any of them failed.
  void round_ended(Duration took, bool failed);
  // From the start of one round to the start of the next.
  Duration interval() const;

  void called(Instant now, Source source = Source::none) { meter_.called(source, now); }
  // What such a call has printed.
  void came(std::size_t bytes, Instant now, Source source) { meter_.came(source, bytes, now); }
  // Over the last five minutes, or as long as we run.
  double calls_per_minute(Instant now) { return meter_.calls_per_minute(now); }
  std::optional<SourceCost> cost(Source source, Instant now) { return meter_.cost(source, now); }

 private:
  Duration base() const;
  Duration chosen_;
  Pace pace_ = Pace::focused;
  Duration latency_{0};
  int failures_ = 0;
  Meter meter_;
};

// When runs may look at the cluster next, all of them together.
//
// A node at which nothing has changed for a while is looked at less often: after a quarter of the time for
// which it has been so, 15 s at most. While several nodes are looked at, half a second lies between two
// readings (at rounds of 10 s; a second at most), so that nodes that take the same steps are read together.
// All looks draw on one budget: half the calls of the reader's rounds in the long run, and a few dozen at
// once. What a run does to a node adds to it, since that is worth a look.
class LookPace {
 public:
  using Instant = Pacer::Instant;

  // interval: between the reader's rounds, as the user chose it; 0: 10 s.
  LookPace(Duration interval, Instant now);

  // When the look that a user wants at `node` may begin.
  Instant due(const std::string& node, Instant now);
  // Whether its own turn has come; budget and gaps are due()'s matter.
  bool is_due(const std::string& node, Instant now) const { return own_turn(node, now) <= now; }
  void began(Instant now) { began_ = now; }
  void called() { budget_ -= 1; }
  void ended(Instant now) { ended_ = now; }
  // state: the same number as long as nothing has changed at the node.
  void seen(const std::string& node, std::size_t state, Instant now);
  // A run has done something there.
  void changed(const std::string& node, Instant now);

 private:
  struct Watched {
    Instant looked{}, since{};  // last look; nothing has changed since
    std::optional<std::size_t> state;
  };
  Instant own_turn(const std::string& node, Instant now) const;

  double a_second_;  // calls that the budget grows by
  Duration gap_;     // between two readings while several nodes are looked at
  double budget_;
  Instant filled_, began_{}, ended_{};
  std::map<std::string, Watched> nodes_;
};

}  // namespace tessera::slurm
