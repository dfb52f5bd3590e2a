// The small words of the scenario language: durations and name patterns.
#include <charconv>

#include "backends/sim/scenario/scenario.hpp"

namespace tessera::sim {

std::optional<Duration> parse_duration(std::string_view text) {
  constexpr std::int64_t kMost = 10LL * 365 * 86400 * 1000;
  if (text.empty()) return std::nullopt;
  std::int64_t sum = 0;
  while (!text.empty()) {
    std::int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    std::size_t digits = static_cast<std::size_t>(end - text.data());
    if (error != std::errc() || digits == 0 || number < 0 || number > kMost) return std::nullopt;
    text.remove_prefix(digits);
    std::int64_t scale = 0;
    if (text.starts_with("ms")) {
      scale = 1;
      text.remove_prefix(1);
    } else if (text.starts_with("s")) {
      scale = 1000;
    } else if (text.starts_with("m")) {
      scale = 60'000;
    } else if (text.starts_with("h")) {
      scale = 3'600'000;
    } else if (text.starts_with("d")) {
      scale = 86'400'000;
    } else {
      return std::nullopt;
    }
    text.remove_prefix(1);
    if (number > kMost / scale) return std::nullopt;
    sum += number * scale;
    if (sum > kMost) return std::nullopt;
  }
  return Duration(sum);
}

namespace {

std::string padded(std::uint64_t number, std::size_t width) {
  std::string digits = std::to_string(number);
  return digits.size() < width ? std::string(width - digits.size(), '0') + digits : digits;
}

// "01-03" or "7": the numbers with the width in which the first is written.
bool expand_range(std::string_view part, std::size_t limit, std::vector<std::string>& out) {
  std::size_t dash = part.find('-');
  std::string_view first = part.substr(0, dash);
  std::string_view last = dash == std::string_view::npos ? first : part.substr(dash + 1);
  std::uint64_t low = 0, high = 0;
  auto number = [](std::string_view digits, std::uint64_t& value) {
    if (digits.empty() || digits.size() > 9) return false;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  if (!number(first, low) || !number(last, high) || low > high || high - low >= limit) return false;
  for (std::uint64_t i = low; i <= high; ++i) out.push_back(padded(i, first.size()));
  return out.size() <= limit;
}

}  // namespace

std::optional<std::vector<std::string>> expand_names(std::string_view pattern, std::size_t limit) {
  constexpr std::size_t kLongest = 512;  // of a pattern: a thousand long names are still little memory
  if (pattern.size() > kLongest) return std::nullopt;
  std::vector<std::string> names{""};
  while (!pattern.empty()) {
    std::size_t open = pattern.find('[');
    for (std::string& name : names) name.append(pattern.substr(0, open));
    if (open == std::string_view::npos) break;
    std::size_t close = pattern.find(']', open);
    if (close == std::string_view::npos) return std::nullopt;
    std::string_view inside = pattern.substr(open + 1, close - open - 1);
    pattern.remove_prefix(close + 1);
    std::vector<std::string> numbers;
    while (true) {
      std::size_t comma = inside.find(',');
      if (!expand_range(inside.substr(0, comma), limit, numbers)) return std::nullopt;
      if (comma == std::string_view::npos) break;
      inside.remove_prefix(comma + 1);
    }
    if (names.size() * numbers.size() > limit) return std::nullopt;
    std::vector<std::string> next;
    next.reserve(names.size() * numbers.size());
    for (const std::string& name : names)
      for (const std::string& number : numbers) next.push_back(name + number);
    names = std::move(next);
  }
  if (names.size() > limit || names.front().empty()) return std::nullopt;
  return names;
}

}  // namespace tessera::sim
