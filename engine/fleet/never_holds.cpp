#include "engine/fleet/never_holds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <set>
#include <utility>

#include "engine/fleet/day_kind.hpp"

namespace tessera::fleet {
namespace {

constexpr int kMinutesADay = 24 * 60;
using MinutesOfDay = std::bitset<kMinutesADay>;  // of a day, by clocks
using DayBefore = std::pair<int, int>;           // what the day before is, and what the day is

// Every day with the one before it, as they occur: a window may go on into the next day. Clocks that leap
// take minutes from a day, and what covers a window covers it then, too.
std::vector<DayBefore> days_of(const std::set<std::chrono::sys_days>& holidays) {
  std::set<DayBefore> all;
  for (int day = 0; day < kHoliday; ++day) all.emplace((day + kHoliday - 1) % kHoliday, day);
  for (const std::chrono::sys_days holiday : holidays)
    for (const std::chrono::sys_days day : {holiday, holiday + std::chrono::days(1)})
      all.emplace(kind_of(day - std::chrono::days(1), holidays), kind_of(day, holidays));
  return {all.begin(), all.end()};
}

MinutesOfDay between(int begin, int end) {
  const MinutesOfDay all = ~MinutesOfDay();
  return all >> static_cast<std::size_t>(kMinutesADay - (end - begin)) << static_cast<std::size_t>(begin);
}

// The minutes of the day at which it holds, other windows aside.
MinutesOfDay minutes_of(const When& when, const DayBefore& day) {
  const bool over = when.end <= when.begin;  // it ends on the next day
  MinutesOfDay all;
  if (begins_on(when, day.second)) all |= between(when.begin, over ? kMinutesADay : when.end);
  if (over && begins_on(when, day.first)) all |= between(0, when.end);
  return all;
}

// The windows of one pool against each other.
class PoolWindows {
 public:
  PoolWindows(const Pool& pool, const std::vector<DayBefore>& days) : pool_(pool), days_(days) {
    std::vector<MinutesOfDay> taken(days.size());
    for (const Window& window : pool.windows) {
      std::vector<MinutesOfDay>& own = in_force_.emplace_back();
      for (std::size_t day = 0; day < days.size(); ++day) {
        const MinutesOfDay all = minutes_of(window.when, days[day]);
        own.push_back(all & ~taken[day]);
        taken[day] |= all;
      }
    }
  }

  bool never_holds(std::size_t window) const {
    return std::none_of(in_force_[window].begin(), in_force_[window].end(),
                        [](const MinutesOfDay& own) { return own.any(); });
  }
  std::vector<const Window*> instead_of(std::size_t window) const {
    std::vector<const Window*> all;
    for (std::size_t other = 0; other < window; ++other)
      for (std::size_t day = 0; day < days_.size(); ++day)
        if ((in_force_[other][day] & minutes_of(pool_.windows[window].when, days_[day])).any()) {
          all.push_back(&pool_.windows[other]);
          break;
        }
    return all;
  }

 private:
  const Pool& pool_;
  const std::vector<DayBefore>& days_;
  std::vector<std::vector<MinutesOfDay>> in_force_;  // of each window, by days_
};

}  // namespace

std::vector<NeverHolds> windows_that_never_hold(const Fleet& fleet) {
  std::vector<NeverHolds> all;
  if (!fleet.has_windows()) return all;
  const std::vector<DayBefore> days = days_of(fleet.holidays);
  for (const Pool& pool : fleet.pools) {
    const PoolWindows windows(pool, days);
    for (std::size_t i = 0; i < pool.windows.size(); ++i)
      if (windows.never_holds(i)) all.push_back({&pool, &pool.windows[i], windows.instead_of(i)});
  }
  return all;
}

std::string to_text(const NeverHolds& one) {
  const std::string& words = one.window->words;
  const int line = one.window->line;
  if (one.instead.empty())
    return fmt::format("its window {} (line {}) never holds: the file lists no holidays", words, line);
  if (one.instead.size() == 1)
    return fmt::format(
        "its window {} (line {}) never holds: the window above it in line {} holds at all of its times",
        words, line, one.instead.front()->line);
  std::string lines;
  for (const Window* other : one.instead)
    lines += fmt::format("{}{}", lines.empty() ? "" : ", ", other->line);
  return fmt::format(
      "its window {} (line {}) never holds: windows above it hold at all of its times: lines {}", words, line,
      lines);
}

}  // namespace tessera::fleet
