#include "backends/http_date.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace tessera {
namespace {

constexpr std::array<std::string_view, 7> kWeekdays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
constexpr std::size_t kLength = 29;

std::optional<int> digits(std::string_view text) {
  int value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool whole = error == std::errc() && end == text.data() + text.size() && text.front() != '-';
  return whole ? std::optional(value) : std::nullopt;
}

}  // namespace

std::string http_date(TimePoint time) {
  using namespace std::chrono;
  auto second = floor<seconds>(time);
  auto day = floor<days>(second);
  year_month_day date{day};
  hh_mm_ss clock{second - day};
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kWeekdays[weekday{day}.c_encoding()],
                     unsigned(date.day()), kMonths[unsigned(date.month()) - 1], int(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

std::optional<TimePoint> parse_http_date(std::string_view text) {
  using namespace std::chrono;
  if (text.size() != kLength || text.substr(25) != " GMT") return std::nullopt;
  for (auto [at, sign] : {std::pair(3, ','), {4, ' '}, {7, ' '}, {11, ' '}, {16, ' '}, {19, ':'}, {22, ':'}})
    if (text[static_cast<std::size_t>(at)] != sign) return std::nullopt;
  auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  auto day = digits(text.substr(5, 2)), year = digits(text.substr(12, 4));
  auto hour = digits(text.substr(17, 2)), minute = digits(text.substr(20, 2)),
       second = digits(text.substr(23, 2));
  if (month == kMonths.end() || !day || !year || !hour || !minute || !second) return std::nullopt;
  year_month_day date{std::chrono::year(*year),
                      std::chrono::month(static_cast<unsigned>(month - kMonths.begin()) + 1),
                      std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return TimePoint(sys_days(date)) + hours(*hour) + minutes(*minute) + seconds(*second);
}

}  // namespace tessera
