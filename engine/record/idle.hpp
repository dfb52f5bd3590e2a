// Since when the lines of a node show no use, line by line as letters have them: the GPUs, then the slices of
// each. A key frame tells it. Recorder and reader follow it by the same letters of use, so that both have the
// same of each moment.
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
  bool away = false;                 // nothing of the node is measured any more
};

// A round tells of the node, with the figures that it has now: it was measured then, these letters of use
// moved, and the others stand. any: some figure moved. longest: two samples farther apart say nothing of
// between.
void hear_idle(IdleLines& lines, const Node& node, std::string_view letters, bool any, TimePoint at,
               Duration longest);

// A line was idle for so long at that time.
void tell_idle(IdleLines& lines, std::size_t line, TimePoint since);

// By what each line is recognized.
std::vector<history::Key> keys_of(const Node& node);
// The same lines of a node that has others now: each is found again by its key.
void lay_out_idle(IdleLines& lines, const std::vector<history::Key>& before,
                  const std::vector<history::Key>& now);

// The lines as a key frame tells them: a slice that is the GPU is one line with it, and where the GPU does
// not tell, the slice does.
IdleLines as_told(const IdleLines& lines, const Node& node);

// In the words of a history. Lines that are in use are left out.
history::ToldIdle told_idle(const IdleLines& lines, const Node& node);

}  // namespace tessera::record
