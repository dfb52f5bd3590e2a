#include "engine/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

namespace tessera {
namespace {

constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

// The number of exactly so many digits in front, and the character behind it; both are taken away. '\0':
// none.
std::optional<int> take_number(std::string_view& text, std::size_t digits, char after) {
  int number = 0;
  if (text.size() < digits + (after != '\0') || text.front() == '-') return std::nullopt;
  auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
  if (error != std::errc() || end != text.data() + digits) return std::nullopt;
  if (after != '\0' && *end != after) return std::nullopt;
  text.remove_prefix(digits + (after != '\0'));
  return number;
}

// nullopt: no date or time of day that there is, or before 1970.
std::optional<TimePoint> moment(int year, unsigned month, int day, int hour, int minute, int second) {
  std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                   std::chrono::day(static_cast<unsigned>(day))};
  // 60: a leap second.
  if (!date.ok() || year < 1970 || hour > 23 || minute > 59 || second > 60) return std::nullopt;
  return TimePoint(std::chrono::sys_days(date)) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second);
}

// ".250", ".250000": milliseconds. Precondition: a point is in front.
std::optional<int> take_fraction(std::string_view& text) {
  text.remove_prefix(1);
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  int millis = 0;
  for (int scale = 100; !text.empty() && text.front() >= '0' && text.front() <= '9'; scale /= 10) {
    millis += (text.front() - '0') * scale;
    text.remove_prefix(1);
  }
  return millis;
}

}  // namespace

std::string utc_text(TimePoint time) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date{day};
  std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::string utc_text_ms(TimePoint time) {
  auto second = std::chrono::floor<std::chrono::seconds>(time);
  std::string text = utc_text(second);
  text.pop_back();
  return fmt::format("{}.{:03}Z", text, (time - second).count());
}

std::uint32_t epoch_seconds(TimePoint time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 0, UINT32_MAX));
}

std::optional<TimePoint> parse_utc(std::string_view text) {
  auto year = take_number(text, 4, '-'), month = take_number(text, 2, '-'), day = take_number(text, 2, 'T');
  auto hour = take_number(text, 2, ':'), minute = take_number(text, 2, ':'),
       second = take_number(text, 2, '\0');
  if (!year || !month || !day || !hour || !minute || !second) return std::nullopt;
  std::optional<int> millis = 0;
  if (text.starts_with('.')) millis = take_fraction(text);
  if (!millis || text != "Z") return std::nullopt;
  auto time = moment(*year, static_cast<unsigned>(*month), *day, *hour, *minute, *second);
  if (time) *time += std::chrono::milliseconds(*millis);
  return time;
}

std::string http_date(TimePoint time) {
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - day)};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kWeekdays[std::chrono::weekday{day}.c_encoding()], static_cast<unsigned>(date.day()),
                     kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<TimePoint> parse_http_date(std::string_view text) {
  if (text.size() < 5 || text.substr(3, 2) != ", ") return std::nullopt;
  text.remove_prefix(5);
  auto day = take_number(text, 2, ' ');
  auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(0, 3));
  if (!day || month == kMonths.end() || text.substr(3, 1) != " ") return std::nullopt;
  text.remove_prefix(4);
  auto year = take_number(text, 4, ' '), hour = take_number(text, 2, ':'), minute = take_number(text, 2, ':'),
       second = take_number(text, 2, ' ');
  if (!year || !hour || !minute || !second || text != "GMT") return std::nullopt;
  return moment(*year, static_cast<unsigned>(month - kMonths.begin()) + 1, *day, *hour, *minute, *second);
}

}  // namespace tessera
