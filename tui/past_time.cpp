#include "tui/past_time.hpp"

#include <charconv>
#include <ctime>
#include <optional>
#include <string>

#include "engine/text.hpp"
#include "tui/cli/settings.hpp"

namespace tessera::tui {
namespace {

Error no_time(std::string_view text, std::string reason) {
  return {"cannot go to \"" + clean(text, 100) + "\"", std::move(reason),
          "a time like 03:12, 'yesterday 03:12', 2026-11-24T03:12, 2026-11-24T03:12Z or -2h"};
}

// Takes `digits` digits off the front.
std::optional<int> take_number(std::string_view& text, std::size_t digits) {
  int value = 0;
  if (text.size() < digits) return std::nullopt;
  auto [end, wrong] = std::from_chars(text.data(), text.data() + digits, value);
  if (wrong != std::errc() || end != text.data() + digits || text.front() == '-') return std::nullopt;
  text.remove_prefix(digits);
  return value;
}
bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool read_date(std::string_view& text, std::tm& parts) {
  std::string_view rest = text;
  const auto year = take_number(rest, 4);
  if (!year || !take(rest, '-')) return false;
  const auto month = take_number(rest, 2);
  if (!month || !take(rest, '-')) return false;
  const auto day = take_number(rest, 2);
  if (!day || *month < 1 || *month > 12 || *day < 1 || *day > 31) return false;
  parts.tm_year = *year - 1900, parts.tm_mon = *month - 1, parts.tm_mday = *day;
  text = rest;
  return true;
}

bool read_clock(std::string_view text, std::tm& parts) {
  const auto hour = take_number(text, 2);
  if (!hour || !take(text, ':')) return false;
  const auto minute = take_number(text, 2);
  if (!minute || *hour > 23 || *minute > 59) return false;
  int second = 0;
  if (take(text, ':')) {
    const auto told = take_number(text, 2);
    if (!told || *told > 59) return false;
    second = *told;
  }
  parts.tm_hour = *hour, parts.tm_min = *minute, parts.tm_sec = second;
  return text.empty();
}

// nullopt: no such time on that day, which a calendar or the clocks left out.
std::optional<TimePoint> time_of(std::tm parts, bool utc) {
  const std::tm wanted = parts;
  const auto same = [&](std::time_t seconds) {
    std::tm back{};
    utc ? ::gmtime_r(&seconds, &back) : ::localtime_r(&seconds, &back);
    return back.tm_mday == wanted.tm_mday && back.tm_mon == wanted.tm_mon && back.tm_hour == wanted.tm_hour &&
           back.tm_min == wanted.tm_min;
  };
  std::optional<std::time_t> first;
  // Summer time comes first where an hour is there twice.
  for (int summer : {1, 0}) {
    std::tm tried = wanted;
    tried.tm_isdst = summer;
    const std::time_t seconds = utc ? ::timegm(&tried) : ::mktime(&tried);
    if (seconds >= 0 && same(seconds) && (!first || seconds < *first)) first = seconds;
  }
  if (!first) return std::nullopt;
  return TimePoint(std::chrono::seconds(*first));
}

constexpr std::string_view kLeftOut = "the clocks were set forward over that time";

int second_of_day(const std::tm& parts) { return (parts.tm_hour * 60 + parts.tm_min) * 60 + parts.tm_sec; }

// The time of day stays. Counted at noon, which every day has; before the first of a month is the month
// before.
void go_back_a_day(std::tm& parts, bool utc) {
  const int hour = parts.tm_hour, minute = parts.tm_min, second = parts.tm_sec;
  --parts.tm_mday;
  parts.tm_hour = 12, parts.tm_isdst = -1;
  utc ? ::timegm(&parts) : ::mktime(&parts);
  parts.tm_hour = hour, parts.tm_min = minute, parts.tm_sec = second;
}

}  // namespace

Result<TimePoint> parse_past(std::string_view text, TimePoint now) {
  const std::string_view typed = text;
  if (take(text, '-')) {
    const auto ago = cli::parse_duration(text);
    if (!ago) return no_time(typed, "not a time span behind the minus");
    return now - *ago;
  }
  const bool utc = text.ends_with('Z');
  if (utc) text.remove_suffix(1);
  const std::time_t seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch().count();
  std::tm parts{};
  utc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts);
  const int clock = second_of_day(parts);
  bool dated = false;
  if (text.starts_with("yesterday ")) {
    text.remove_prefix(10);
    go_back_a_day(parts, utc);
    dated = true;
  } else if (read_date(text, parts)) {
    dated = true;
    if (!take(text, 'T') && !take(text, ' ')) return no_time(typed, "no time of day behind the date");
  } else if (text.find('-') == 4) {
    return no_time(typed, "not a date like 2026-11-24");
  }
  if (!read_clock(text, parts)) return no_time(typed, "not a time of day like 03:12");
  std::optional<TimePoint> at = time_of(parts, utc);
  const bool to_come = at ? *at > now : second_of_day(parts) > clock;
  if (to_come && !dated) {
    go_back_a_day(parts, utc);
    at = time_of(parts, utc);
  }
  // A date that the calendar lacks is none in UTC either.
  if (!at) return no_time(typed, std::string(time_of(parts, true) ? kLeftOut : "that day has no such time"));
  if (*at > now) return no_time(typed, "it is still to come");
  return *at;
}

}  // namespace tessera::tui
