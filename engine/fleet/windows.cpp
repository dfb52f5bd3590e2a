#include "engine/fleet/windows.hpp"

#include <algorithm>

#include "engine/text.hpp"

namespace tessera::fleet {
namespace {

using std::chrono::days;
using std::chrono::sys_days;

constexpr days kFarthest(8);  // that an end of a phase is looked for
constexpr int kDayMinutes = 24 * 60;
constexpr std::uint8_t kEveryDay = 0x7f;
constexpr std::string_view kDays[] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

Error bad(std::string_view text, const std::string& why) {
  return {"cannot read the window", "\"" + clean(text, 100) + "\": " + why,
          "write days and times: Mon-Fri 20:00-07:00, Sat,Sun, daily 12:00-13:00, holidays"};
}

std::optional<int> day_of(std::string_view word) {
  const auto at = std::find(std::begin(kDays), std::end(kDays), lower(word));
  if (at == std::end(kDays)) return std::nullopt;
  return static_cast<int>(at - std::begin(kDays));
}

bool read_days(When& when, std::string_view word) {
  if (lower(word) == "daily") return when.days = kEveryDay, when.holidays = true, true;
  if (lower(word) == "holidays") return when.holidays = true;
  const std::size_t dash = word.find('-');
  const auto first = day_of(word.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : day_of(word.substr(dash + 1));
  if (!first || !last) return false;
  for (int day = *first;; day = (day + 1) % 7) {  // Fri-Mon goes over the week's end
    when.days |= static_cast<std::uint8_t>(1u << day);
    if (day == *last) return true;
  }
}

bool begins_on(const When& when, sys_days day, const std::set<sys_days>& holidays) {
  if (holidays.contains(day)) return when.holidays;
  const unsigned weekday = std::chrono::weekday(day).iso_encoding() - 1;
  return (when.days >> weekday & 1u) != 0;
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
  const std::size_t space = text.find(' ');
  std::string_view list = text.substr(0, space);
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    if (!read_days(when, list.substr(0, comma)))
      return bad(text, "\"" + clean(list.substr(0, comma), 40) + "\" is not a day");
    if (comma != std::string_view::npos && comma + 1 == list.size()) return bad(text, "a day is missing");
    list = comma == std::string_view::npos ? std::string_view{} : list.substr(comma + 1);
  }
  if (when.days == 0 && !when.holidays) return bad(text, "no day is named");
  if (space == std::string_view::npos) return when;
  const std::string_view times = text.substr(space + 1);
  const std::size_t dash = times.find('-');
  if (dash == std::string_view::npos) return bad(text, "times are HH:MM-HH:MM");
  const auto begin = minutes_of_day(times.substr(0, dash)), end = minutes_of_day(times.substr(dash + 1));
  if (!begin || !end || *begin == kDayMinutes) return bad(text, "times are HH:MM-HH:MM, from 00:00 to 24:00");
  if (*begin == *end) return bad(text, "it begins when it ends");
  when.begin = *begin, when.end = *end;
  return when;
}

const Window* window_at(const Fleet& fleet, const Pool& pool, const Zone& zone, TimePoint at) {
  const sys_days today = zone.local(at).day;
  for (const Window& window : pool.windows)
    for (sys_days day : {today - days(1), today}) {
      if (!begins_on(window.when, day, fleet.holidays)) continue;
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
      if (!begins_on(window.when, day, fleet.holidays)) continue;
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
