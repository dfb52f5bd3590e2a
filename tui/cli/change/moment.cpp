#include "tui/cli/change/moment.hpp"

#include <chrono>
#include <ctime>

#include "tui/cli/settings.hpp"

namespace tessera::cli {
namespace {

// The first of two where an hour comes twice; nullopt: the clocks leave it out. A day after the last of a
// month is one of the next.
std::optional<TimePoint> local_time(const std::tm& parts) {
  std::optional<std::time_t> first;
  for (const int summer : {1, 0}) {
    std::tm tried = parts;
    tried.tm_isdst = summer;
    const std::time_t seconds = std::mktime(&tried);
    std::tm back{};
    if (seconds < 0 || !::localtime_r(&seconds, &back)) continue;
    const bool same =
        back.tm_hour == parts.tm_hour && back.tm_min == parts.tm_min && back.tm_sec == parts.tm_sec;
    if (same && (!first || seconds < *first)) first = seconds;
  }
  if (!first) return std::nullopt;
  return TimePoint(std::chrono::seconds(*first));
}

TimePoint utc_time(const std::tm& parts) {
  std::chrono::year_month_day date{std::chrono::year(parts.tm_year + 1900),
                                   std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
                                   std::chrono::day(static_cast<unsigned>(parts.tm_mday))};
  return TimePoint(std::chrono::sys_days(date)) + std::chrono::hours(parts.tm_hour) +
         std::chrono::minutes(parts.tm_min) + std::chrono::seconds(parts.tm_sec);
}

bool is_a_time(const std::tm& parts) {
  std::chrono::year_month_day date{std::chrono::year(parts.tm_year + 1900),
                                   std::chrono::month(static_cast<unsigned>(parts.tm_mon + 1)),
                                   std::chrono::day(static_cast<unsigned>(parts.tm_mday))};
  return date.ok() && parts.tm_year >= 70 && parts.tm_year < 300 && parts.tm_hour >= 0 &&
         parts.tm_hour < 24 && parts.tm_min >= 0 && parts.tm_min < 60 && parts.tm_sec >= 0 &&
         parts.tm_sec < 60;
}

// The form with letters for digits, and where each part ends up.
std::optional<std::tm> read_parts(std::string_view text, std::string_view form, std::tm parts) {
  if (text.size() != form.size()) return std::nullopt;
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    char wanted = form[i], c = text[i];
    bool date_end = wanted == 'T' && (c == 'T' || c == ' ');
    int* part = wanted == 'y'   ? &year
                : wanted == 'o' ? &month
                : wanted == 'd' ? &day
                : wanted == 'h' ? &hour
                : wanted == 'm' ? &minute
                : wanted == 's' ? &second
                                : nullptr;
    if (part && c >= '0' && c <= '9')
      *part = *part * 10 + (c - '0');
    else if (part || (wanted != c && !date_end))
      return std::nullopt;
  }
  if (form.starts_with('y')) {
    parts.tm_year = year - 1900;
    parts.tm_mon = month - 1;
    parts.tm_mday = day;
  }
  parts.tm_hour = hour;
  parts.tm_min = minute;
  parts.tm_sec = second;
  if (!is_a_time(parts)) return std::nullopt;
  return parts;
}

int second_of_day(const std::tm& parts) { return (parts.tm_hour * 60 + parts.tm_min) * 60 + parts.tm_sec; }

std::tm today(TimePoint now, bool utc) {
  std::time_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm parts{};
  utc ? ::gmtime_r(&seconds, &parts) : ::localtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

std::optional<TimePoint> parse_moment(std::string_view text, TimePoint now) {
  if (text.starts_with('+')) {
    auto later = parse_duration(text.substr(1));
    if (!later) return std::nullopt;
    return now + *later;
  }
  bool utc = text.ends_with('Z');
  if (utc) text.remove_suffix(1);
  for (std::string_view form : {"yyyy-oo-ddThh:mm:ss", "yyyy-oo-ddThh:mm", "hh:mm"}) {
    auto parts = read_parts(text, form, today(now, utc));
    if (!parts) continue;
    std::optional<TimePoint> at = utc ? utc_time(*parts) : local_time(*parts);
    const bool over = at ? *at <= now : second_of_day(*parts) <= second_of_day(today(now, utc));
    if (form.starts_with('y') || !over) return at;
    ++parts->tm_mday;  // the next such time; local_time() carries over into the next month
    return utc ? *at + std::chrono::hours(24) : local_time(*parts);
  }
  return std::nullopt;
}

}  // namespace tessera::cli
