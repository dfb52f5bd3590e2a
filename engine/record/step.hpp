// How far apart two rounds may lie, and why others are missing: of the recorder, which says how it ended, of
// those who read a recording, and of those who add it up. Threads: pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/model/event.hpp"
#include "engine/model/units.hpp"

namespace tessera::record {

inline constexpr Duration kShortestGap{600'000};

// A round that is older says little of a moment. every: between two rounds, as the recorder was asked; half
// of it more is a round that came late, and not one that is missing.
constexpr Duration longest_step(Duration every) { return std::max(kShortestGap, every + every / 2); }

// The same of figures: for how long one speaks, and which gap between two of them is bridged. That follows
// what a round of all nodes takes: of thousands it may be longer than ten minutes.
constexpr Duration longest_step(const PaceReport& pace) {
  return longest_step(std::max(pace.interval, pace.figures));
}

// How far apart the figures of a node are, in whole minutes, as a recording tells it. 0: it is no farther
// than any reader bridges.
Duration far_apart(const PaceReport& pace);

// Why no round follows one at its time.
enum class Stop : std::uint8_t {
  unknown,  // a version that does not tell it
  ended,    // the recorder was ended
  cut,      // it did not end its file
  silent,   // it ran on and wrote nothing
  damaged,  // there were some, and they cannot be read
  set_back  // its clock was set back: rounds of these times were written once more, and those count
};
// Two rounds between which nothing is known, however near they are.
constexpr bool breaks_off(Stop stop) { return stop == Stop::damaged || stop == Stop::set_back; }

// As documents have it: "unknown", "ended", "cut-off", "silent", "damaged", "set-back".
std::string_view word(Stop stop);
// In words; empty: not known.
std::string_view because(Stop stop);
// "... : the recorder was ended there", where it is known.
std::string with_reason(std::string text, Stop stop);

// What a round tells of the recorder that wrote it.
struct Written {
  std::optional<TimePoint> began{};  // that recorder; nullopt: a version that does not tell it
  bool ended = false;                // it ended its file behind this round
};
// Of two rounds between which others are missing. after: nullopt: that one is the newest.
Stop stop_between(const Written& before, const std::optional<Written>& after);

}  // namespace tessera::record
