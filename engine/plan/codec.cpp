#include "engine/plan/codec.hpp"

#include <algorithm>
#include <charconv>

namespace tessera::plan {
namespace {

constexpr double kLongest = 1e9;  // seconds; some thirty years

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  const char* begin = text.data() + at;
  for (std::size_t i = 0; i < count; ++i)
    if (begin[i] < '0' || begin[i] > '9') return std::nullopt;
  std::from_chars(begin, begin + count, value);
  return value;
}

}  // namespace

std::string_view word(Severity severity) {
  constexpr std::string_view kWords[] = {"info", "good", "warning", "danger"};
  return kWords[static_cast<std::size_t>(severity)];
}

std::string time_text(TimePoint time) {
  auto day = std::chrono::floor<std::chrono::days>(time);
  std::chrono::year_month_day date{day};
  std::chrono::hh_mm_ss clock{time - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<TimePoint> parse_time(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00.000Z";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] != '0' && text[i] != kForm[i]) return std::nullopt;
  auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  auto milli = digits(text, 20, 3);
  if (!year || !month || !day || !hour || !minute || !second || !milli) return std::nullopt;
  std::chrono::year_month_day date{std::chrono::year(*year),
                                   std::chrono::month(static_cast<unsigned>(*month)),
                                   std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < 1970 || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  return TimePoint(std::chrono::sys_days(date)) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second) + std::chrono::milliseconds(*milli);
}

bool from_json(const Json& json, Duration& value, Trouble& trouble) {
  double seconds = 0;
  if (!from_json(json, seconds, trouble)) return false;
  if (seconds < 0 || seconds > kLongest) return trouble.fail("a time in seconds is expected");
  value = Duration(std::llround(seconds * 1000));
  return true;
}
bool from_json(const Json& json, TimePoint& value, Trouble& trouble) {
  auto time = json.kind == Json::Kind::text ? parse_time(json.text) : std::nullopt;
  if (!time) return trouble.fail("a time like 2026-11-21T14:03:22.000Z is expected");
  value = *time;
  return true;
}
bool from_json(const Json& json, bool& value, Trouble& trouble) {
  if (json.kind != Json::Kind::boolean) return trouble.fail("true or false is expected");
  value = json.boolean;
  return true;
}
bool from_json(const Json& json, int& value, Trouble& trouble) {
  if (json.kind != Json::Kind::integer || json.integer < INT32_MIN || json.integer > INT32_MAX)
    return trouble.fail("a whole number is expected");
  value = static_cast<int>(json.integer);
  return true;
}
bool from_json(const Json& json, std::int64_t& value, Trouble& trouble) {
  if (json.kind != Json::Kind::integer) return trouble.fail("a whole number is expected");
  value = json.integer;
  return true;
}
bool from_json(const Json& json, double& value, Trouble& trouble) {
  if (json.kind == Json::Kind::integer)
    value = static_cast<double>(json.integer);
  else if (json.kind == Json::Kind::real)
    value = json.real;
  else
    return trouble.fail("a number is expected");
  return true;
}
bool from_json(const Json& json, std::string& value, Trouble& trouble) {
  if (json.kind != Json::Kind::text) return trouble.fail("text is expected");
  value = clean(json.text, 1U << 20U);
  return true;
}

}  // namespace tessera::plan
