// Since when the lines of a node show no use, line by line as letters have them: the GPUs, then the slices of
// each. A key frame tells it, and who reads on follows it by the letters of use.
// Threads: plain values and pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/history/keeps_figures.hpp"
#include "engine/model/values.hpp"

namespace tessera::record {

struct IdleLines {
  TimePoint measured{};              // when they were measured last; TimePoint{}: not yet
  std::vector<std::uint32_t> since;  // seconds since the epoch; 0: in use, or not measured. May be shorter
};

// The node was measured then, and these letters of use moved; the others stand. longest: two samples farther
// apart say nothing of between. came_back: before, the node was measured no more, so that a line that does
// not move now is not measured either.
void follow_idle(IdleLines& lines, std::string_view letters, TimePoint at, Duration longest,
                 bool came_back = false);

// A line was idle for so long at that time.
void tell_idle(IdleLines& lines, std::size_t line, TimePoint since);

// The same lines of a node that has others now: each is found again as it is recognized.
void lay_out_idle(IdleLines& lines, const Node& before, const Node& now);

// In the words of a history. Lines that are in use are left out.
history::ToldIdle told_idle(const IdleLines& lines, const Node& node);

}  // namespace tessera::record
