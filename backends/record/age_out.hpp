// Which days of a recording are too old to be kept. The names of files are dates that a clock gave: one that
// was set far ahead makes all days before look old, so none is given up for its word alone. Threads: pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/model/units.hpp"

namespace tessera::record {

// A longer pause between two days may be a clock that was set, until so many days are recorded behind it.
inline constexpr Duration kLongestPause{7LL * 86'400'000};
inline constexpr int kDaysBehind = 3;

struct Aged {
  std::vector<std::string> remove;
  // Where older days are not to be touched at all: those between which the pause lies.
  std::optional<std::pair<std::string, std::string>> doubt{};
};

// names: of files that begin with their day; others are never too old. at: as the clock has it, of the day
// that is written. keep: how long. thin: from which age on days are made thinner, which cannot be undone
// either.
Aged aged_out(const std::vector<std::string>& names, TimePoint at, Duration keep,
              std::optional<Duration> thin);

}  // namespace tessera::record
