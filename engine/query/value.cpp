#include "engine/query/value.hpp"

#include <fmt/core.h>

#include <chrono>
#include <cmath>

#include "engine/query/local_time.hpp"

namespace tessera::query {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
// Of ASCII only, without a look at the locale for each letter of a sort.
unsigned char folded(char c) { return static_cast<unsigned char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

std::string number_text(double number, Format format) {
  switch (format) {
    case Format::percent: return fmt::format("{:.0f}%", number);
    case Format::celsius: return fmt::format("{:.0f} °C", number);
    case Format::watts: return fmt::format("{:.0f} W", number);
    case Format::mib: return memory_text(static_cast<std::int64_t>(number));
    case Format::duration: return duration_text(static_cast<std::int64_t>(number));
    case Format::time: return local_text(TimePoint(std::chrono::seconds(static_cast<std::int64_t>(number))));
    case Format::text:
    case Format::count: break;
  }
  return number == std::floor(number) ? fmt::format("{:.0f}", number) : fmt::format("{:.1f}", number);
}

// Rank of kinds: numbers, then text, then what cannot be told, then what is not known.
int rank(const Value& value) {
  if (std::holds_alternative<std::int64_t>(value) || std::holds_alternative<double>(value) ||
      std::holds_alternative<AtLeast>(value))
    return 0;
  if (std::holds_alternative<std::string>(value)) return 1;
  return std::holds_alternative<NotTold>(value) ? 2 : 3;
}

double number_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  if (const auto* least = std::get_if<AtLeast>(&value)) return static_cast<double>(least->number);
  return std::get<double>(value);
}

}  // namespace

// Runs of digits compare as numbers.
int natural_compare(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      while (i < a.size() && a[i] == '0') ++i;
      while (j < b.size() && b[j] == '0') ++j;
      std::size_t i_end = i, j_end = j;
      while (i_end < a.size() && is_digit(a[i_end])) ++i_end;
      while (j_end < b.size() && is_digit(b[j_end])) ++j_end;
      if (i_end - i != j_end - j) return i_end - i < j_end - j ? -1 : 1;
      int order = a.substr(i, i_end - i).compare(b.substr(j, j_end - j));
      if (order != 0) return order < 0 ? -1 : 1;
      i = i_end;
      j = j_end;
      continue;
    }
    unsigned char x = folded(a[i]), y = folded(b[j]);
    if (x != y) return x < y ? -1 : 1;
    ++i;
    ++j;
  }
  if (i < a.size()) return 1;
  if (j < b.size()) return -1;
  return a.compare(b);
}

std::string duration_text(std::int64_t seconds) {
  if (seconds < 0) seconds = 0;
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min", seconds / 60);
  if (seconds < 86400) return fmt::format("{} h {:02} min", seconds / 3600, seconds % 3600 / 60);
  return fmt::format("{} d {:02} h", seconds / 86400, seconds % 86400 / 3600);
}

std::string memory_text(std::int64_t mib) {
  if (mib < 1024) return fmt::format("{} MiB", mib);
  double gib = static_cast<double>(mib) / 1024;
  if (mib % 1024 == 0 || gib >= 100) return fmt::format("{:.0f} GiB", gib);
  return fmt::format("{:.1f} GiB", gib);
}

std::string to_text(const Value& value, Format format) {
  if (std::holds_alternative<Unknown>(value)) return "?";
  if (std::holds_alternative<NotTold>(value)) return "n/a";
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (std::holds_alternative<AtLeast>(value)) return ">=" + number_text(number_of(value), format);
  return number_text(number_of(value), format);
}

bool sorts_before(const Value& a, const Value& b) {
  int rank_a = rank(a), rank_b = rank(b);
  if (rank_a != rank_b) return rank_a < rank_b;
  if (rank_a == 0) return number_of(a) < number_of(b);
  if (rank_a == 1) return natural_compare(std::get<std::string>(a), std::get<std::string>(b)) < 0;
  return false;
}

}  // namespace tessera::query
