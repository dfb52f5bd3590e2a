// By day and by night: which of a pool's rules holds when. Time is passed in, so that a year is tested in
// milliseconds. Threads: pure functions.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/fleet/fleet.hpp"
#include "engine/fleet/zone.hpp"

namespace tessera::fleet {

// "Mon-Fri 20:00-07:00", "Sat,Sun", "daily 12:00-13:00", "holidays". Errors: what cannot be read, a window
// that begins when it ends.
Result<When> parse_when(std::string_view text);

// "20:00", up to "24:00", as minutes; nullopt: not a time of the day.
std::optional<int> minutes_of_day(std::string_view text);

// A stretch of time in which one rule of a pool holds.
struct Phase {
  TimePoint begin{}, end{};
  const Window* window = nullptr;  // the first of them; nullptr: the pool's own rule
  std::string words;               // of its windows, which follow one another with the same rule
};

// Which window holds at that moment; nullptr: none. Of several the first in the file. A window begins when
// clocks show its begin (where they leap over it, at the leap) and ends when they first show its end.
const Window* window_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at);

// In order, without gaps, from `from` to `until`. Neighbours are of different rules, or only one of them is a
// window's. At most some 400 days.
std::vector<Phase> phases(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint from,
                          TimePoint until);

// The phase of a pool that holds at a moment. It is looked for over eight days back and ahead: a begin or end
// that is farther away is told as that day.
Phase phase_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at);
// The rule of the pool that holds then.
const Rule& rule_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at);
// Until when its budget lets a change begin in that phase, which holds at `at`; nullopt: until its end. Where
// it began eight days back or earlier, it is the limit of that day.
std::optional<TimePoint> last_begin(const Pool& pool, const Zone& zone, const Phase& phase, TimePoint at);

// What begins when, in the order of time, over all pools with windows: first what holds now.
struct Due {
  const Pool* pool = nullptr;
  Phase phase;
  // From when on nodes may be closed for it, where the pool's budget has a lead; nullopt: not before it
  // begins, or it has begun.
  std::optional<TimePoint> closing;
  bool no_end = false;                  // none was found: phase.end is no moment at which anything changes
  LocalTime begin, end, closing_local;  // by the clocks of the fleet's zone
};
// now: by the clock that the pool's runs go by.
std::vector<Due> calendar(const Fleet& fleet, const Zone& zone,
                          const std::function<TimePoint(const Pool&)>& now, int days);

// The fleet as it is to be at that moment: each pool with the rule that holds then.
Fleet fleet_at(const Fleet& fleet, const Zone& zone, TimePoint at);

}  // namespace tessera::fleet
