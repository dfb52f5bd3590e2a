#include "engine/fleet/windows.hpp"

#include <algorithm>
#include <iterator>

#include "engine/fleet/day_kind.hpp"
#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr days kFarthest(8);  // that an end of a phase is looked for
constexpr int kDayMinutes = 24 * 60;
constexpr std::uint8_t kEveryDay = 0x7f;
constexpr std::string_view kDays[] = {"monday", "tuesday",  "wednesday", "thursday",
                                      "friday", "saturday", "sunday"};
constexpr std::size_t kShort = 3;  // letters of a day: "mon"

Error bad(std::string_view text, const std::string& why) {
  return {"cannot read the window", "\"" + clean(text, 100) + "\": " + why,
          "write days and times: Mon-Fri 20:00-07:00, Sat,Sun, daily 12:00-13:00, holidays"};
}

// By its name, or the first three letters of that.
std::optional<int> day_of(std::string_view word) {
  const std::string name = lower(word);
  for (std::size_t day = 0; day < std::size(kDays); ++day)
    if (name == kDays[day] || name == kDays[day].substr(0, kShort)) return static_cast<int>(day);
  return std::nullopt;
}

// Days: "Mon", "Mon-Fri". text: all of the window, for errors.
Status read_days(When& when, std::string_view word, std::string_view text) {
  if (lower(word) == "daily") return when.days = kEveryDay, when.holidays = true, Done{};
  if (lower(word) == "holidays") return when.holidays = true, Done{};
  const std::size_t dash = word.find('-');
  const std::string_view ends[] = {word.substr(0, dash),
                                   dash == std::string_view::npos ? word : word.substr(dash + 1)};
  for (const std::string_view end : ends) {
    if (day_of(end)) continue;
    const bool time = end.find(':') != std::string_view::npos;
    return bad(text, time ? "the days stand before the times, and a blank between them"
                          : "\"" + clean(end, 40) + "\" is not a day");
  }
  for (int day = *day_of(ends[0]), last = *day_of(ends[1]);; day = (day + 1) % kHoliday) {
    when.days |= static_cast<std::uint8_t>(1u << day);  // Fri-Mon goes over the week's end
    if (day == last) return Done{};
  }
}

// "20:00-07:00".
Status read_times(When& when, std::string_view times, std::string_view text) {
  if (!times.empty() && day_of(times.substr(0, times.find_first_of(" ,-"))))
    return bad(text, "a comma stands between days");
  const std::size_t dash = times.find('-');
  if (dash == std::string_view::npos) return bad(text, "times are HH:MM-HH:MM");
  const std::string_view words[] = {times.substr(0, dash), times.substr(dash + 1)};
  for (const std::string_view word : words)
    if (!minutes_of_day(word))
      return bad(text, "\"" + clean(word, 40) + "\" is not a time: HH:MM, from 00:00 to 24:00");
  when.begin = *minutes_of_day(words[0]), when.end = *minutes_of_day(words[1]);
  if (when.begin == kDayMinutes) return bad(text, "it begins at 24:00, which is 00:00 of the next day");
  if (when.begin == when.end) return bad(text, "it begins when it ends");
  return Done{};
}

// People put blanks beside commas and dashes, and several: one stays between words.
std::string without_blanks(std::string_view text) {
  constexpr std::string_view kJoins = ",-";
  std::string all;
  for (const char c : text) {
    const bool blank = c == ' ' || c == '\t';
    const bool joins = kJoins.find(c) != std::string_view::npos;
    if (blank && (all.empty() || all.back() == ' ' || kJoins.find(all.back()) != std::string_view::npos))
      continue;
    if (joins && !all.empty() && all.back() == ' ') all.pop_back();
    all += blank ? ' ' : c;
  }
  if (!all.empty() && all.back() == ' ') all.pop_back();
  return all;
}

struct Stretch {
  TimePoint begin{}, end{};
};

// The stretch that begins on that day; precondition: begins_on.
Stretch stretch_of(const When& when, sys_days day, const Zone& zone) {
  const bool over = when.end <= when.begin;
  return {zone.moment({day, when.begin}), zone.moment({over ? day + days(1) : day, when.end})};
}

}  // namespace

std::optional<int> minutes_of_day(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (std::size_t i : {0u, 1u, 3u, 4u})
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
  const int hours = (text[0] - '0') * 10 + text[1] - '0', minutes = (text[3] - '0') * 10 + text[4] - '0';
  if (minutes > 59 || hours * 60 + minutes > kDayMinutes) return std::nullopt;
  return hours * 60 + minutes;
}

Result<When> parse_when(std::string_view text) {
  When when;
  const std::string closed = without_blanks(text);
  const std::size_t blank = closed.find(' ');
  std::string_view list = std::string_view(closed).substr(0, blank);
  if (list.empty()) return bad(text, "no day is named");
  for (std::size_t comma = 0; comma != std::string_view::npos;) {
    comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    if (word.empty()) return bad(text, "a day is missing beside a comma");
    if (Status read = read_days(when, word, text); !read) return read.error();
    if (comma != std::string_view::npos) list = list.substr(comma + 1);
  }
  if (blank == std::string::npos) return when;
  if (Status read = read_times(when, std::string_view(closed).substr(blank + 1), text); !read)
    return read.error();
  return when;
}

const Window* window_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at) {
  const sys_days today = zone.local(at).day;
  for (const Window& window : pool.windows)
    for (sys_days day : {today - days(1), today}) {
      if (!begins_on(window.when, kind_of(day, fleet.holidays))) continue;
      const Stretch stretch = stretch_of(window.when, day, zone);
      if (stretch.begin <= at && at < stretch.end) return &window;
    }
  return nullptr;
}

std::vector<Phase> phases(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint from,
                          TimePoint until) {
  std::vector<TimePoint> edges{from};
  const sys_days last = zone.local(until).day;
  for (sys_days day = zone.local(from).day - days(1); day <= last; day += days(1))
    for (const Window& window : pool.windows) {
      if (!begins_on(window.when, kind_of(day, fleet.holidays))) continue;
      const Stretch stretch = stretch_of(window.when, day, zone);
      for (TimePoint edge : {stretch.begin, stretch.end})
        if (edge > from && edge < until) edges.push_back(edge);
    }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  std::vector<Phase> all;
  for (TimePoint edge : edges) {
    const Window* window = window_at(fleet, pool, zone, edge);
    if (!all.empty()) {
      Phase& before = all.back();
      if (before.window == window) continue;
      if (before.window && window && same_rule(before.window->rule, window->rule)) {
        if (before.words.find(window->words) == std::string::npos) before.words += ", " + window->words;
        continue;
      }
      before.end = edge;
    }
    all.push_back({edge, until, window, window ? window->words : ""});
  }
  return all;
}

Phase phase_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at) {
  for (Phase& phase : phases(fleet, pool, zone, at - kFarthest, at + kFarthest))
    if (phase.begin <= at && at < phase.end) return std::move(phase);
  return {at, at, nullptr, ""};  // cannot be: they have no gaps
}

const Rule& rule_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at) {
  const Window* window = window_at(fleet, pool, zone, at);
  return window ? window->rule : pool.rule;
}

std::optional<TimePoint> last_begin(const Pool& pool, const Zone& zone, const Phase& phase, TimePoint at) {
  if (!pool.budget.not_after) return std::nullopt;
  if (phase.begin <= at - kFarthest) return zone.moment({zone.local(at).day, *pool.budget.not_after});
  const sys_days day = zone.local(phase.begin).day;
  const TimePoint same = zone.moment({day, *pool.budget.not_after});
  return same > phase.begin ? same : zone.moment({day + days(1), *pool.budget.not_after});
}

namespace {

const Rule& rule_of(const Pool& pool, const Phase& phase) {
  return phase.window ? phase.window->rule : pool.rule;
}

// Nodes are closed for the phase that comes next, and for none behind it.
std::optional<TimePoint> closing_of(const Pool& pool, const Phase& before, const Phase& phase) {
  const Rule& rule = rule_of(pool, phase);
  if (!pool.budget.lead || rule.kind == Rule::Kind::as_is || same_rule(rule_of(pool, before), rule))
    return std::nullopt;
  return std::max(before.begin, phase.begin - std::chrono::minutes(*pool.budget.lead));
}

}  // namespace

std::vector<Due> calendar(const Fleet& fleet, const Zone& zone,
                          const std::function<TimePoint(const Pool&)>& now, int ahead) {
  std::vector<Due> all;
  for (const Pool& pool : fleet.pools) {
    if (pool.windows.empty()) continue;
    const TimePoint from = now(pool);
    Phase before = phase_at(fleet, pool, zone, from);
    const TimePoint until = from + days(ahead), last = until - Duration{1};
    for (Phase& phase : phases(fleet, pool, zone, from, until)) {
      const auto closing = phase.begin == from ? std::nullopt : closing_of(pool, before, phase);
      // What goes on beyond the days has its own end and not theirs.
      const bool goes_on = phase.end == until;
      if (goes_on) phase.end = phase_at(fleet, pool, zone, last).end;
      all.push_back({&pool, phase, closing, goes_on && phase.end >= last + kFarthest, zone.local(phase.begin),
                     zone.local(phase.end), zone.local(closing.value_or(phase.begin))});
      if (phase.begin != from) before = phase;
    }
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Due& a, const Due& b) { return a.phase.begin < b.phase.begin; });
  return all;
}

Fleet fleet_at(const Fleet& fleet, const Zone& zone, TimePoint at) {
  Fleet now = fleet;
  for (std::size_t i = 0; i < fleet.pools.size(); ++i)
    if (const Window* window = window_at(fleet, fleet.pools[i], zone, at)) now.pools[i].rule = window->rule;
  return now;
}

}  // namespace tessera::fleet
