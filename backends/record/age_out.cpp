#include "backends/record/age_out.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "backends/record/tape.hpp"
#include "engine/time.hpp"

namespace tessera::record {
namespace {

constexpr Duration kDay{86'400'000};

std::optional<TimePoint> midnight_of(std::string_view name) {
  return parse_utc(std::string(name.substr(0, 10)) + "T00:00:00Z");
}

// The first of the latest days that lie side by side, and the day before the pause; nullopt: there is none.
std::optional<std::pair<TimePoint, TimePoint>> pause_of(const std::map<TimePoint, std::string>& days,
                                                        Duration longest) {
  int behind = 1;
  for (auto day = days.rbegin(); std::next(day) != days.rend(); ++day, ++behind) {
    if (behind >= kDaysBehind) return std::nullopt;
    if (const TimePoint before = std::next(day)->first; day->first - before > longest)
      return std::pair(before, day->first);
  }
  return std::nullopt;
}

}  // namespace

Aged aged_out(const std::vector<std::string>& names, TimePoint at, Duration keep,
              std::optional<Duration> thin) {
  const auto today = midnight_of(day_of(at));
  if (!today) return {};
  std::map<TimePoint, std::string> days{{*today, ""}};  // up to the one that is written
  for (const std::string& name : names)
    if (const auto midnight = midnight_of(name); midnight && *midnight < *today) days[*midnight] = name;
  const auto ended_before = [&](Duration age) {
    std::vector<std::string> found;
    for (const auto& [midnight, name] : days)
      if (midnight != *today && name < day_of(at - age)) found.push_back(name);
    return found;
  };
  Aged aged{ended_before(keep)};
  if (aged.remove.empty() && (!thin || ended_before(*thin).empty())) return aged;
  // A pause of a day or two is one, whatever is kept.
  const auto pause = pause_of(days, std::clamp(keep, 2 * kDay, kLongestPause));
  if (pause) aged = {{}, std::pair(day_of(pause->first), day_of(pause->second))};
  return aged;
}

}  // namespace tessera::record
