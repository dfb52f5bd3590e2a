#include "backends/slurm/parse/times.hpp"

#include <ctime>

namespace tessera::slurm {
namespace {

namespace chrono = std::chrono;

// Two or four digits; -1: not digits.
int digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

std::time_t ask_library(chrono::sys_days day, int seconds) {
  chrono::year_month_day date(day);
  std::tm parts{};
  parts.tm_year = static_cast<int>(date.year()) - 1900;
  parts.tm_mon = static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  parts.tm_mday = static_cast<int>(static_cast<unsigned>(date.day()));
  parts.tm_hour = seconds / 3600;
  parts.tm_min = seconds / 60 % 60;
  parts.tm_sec = seconds % 60;
  parts.tm_isdst = -1;
  return std::mktime(&parts);
}

}  // namespace

std::optional<long> LocalTimes::offset_of(chrono::sys_days day) {
  auto [it, fresh] = days_.try_emplace(static_cast<int>(day.time_since_epoch().count()));
  if (!fresh) return it->second;
  long midnight = chrono::duration_cast<chrono::seconds>(day.time_since_epoch()).count();
  long first = midnight - ask_library(day, 0);
  long last = midnight + 86399 - ask_library(day, 86399);
  if (first == last) it->second = first;
  return it->second;
}

std::optional<TimePoint> LocalTimes::read(std::string_view text) {
  if (text.size() != 19 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':')
    return std::nullopt;
  int year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  if (year < 1970 || month < 1 || day < 1 || hour < 0 || hour > 23 || minute < 0 || minute > 59 ||
      second < 0 || second > 60)
    return std::nullopt;
  chrono::year_month_day date(chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                              chrono::day(static_cast<unsigned>(day)));
  if (!date.ok()) return std::nullopt;
  chrono::sys_days days(date);
  int seconds = hour * 3600 + minute * 60 + second;
  std::optional<long> offset = offset_of(days);
  if (!offset) return TimePoint(chrono::seconds(ask_library(days, seconds)));
  return TimePoint(chrono::seconds(days.time_since_epoch()) + chrono::seconds(seconds - *offset));
}

}  // namespace tessera::slurm
