// Whole numbers as text. Threads: pure functions.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace tessera {

// Takes digits off the front. nullopt: there are none, or they are more than `most`; the text stays then.
template <class Number = int>
std::optional<Number> take_number(std::string_view& text, Number most = std::numeric_limits<Number>::max()) {
  Number value{};
  if (text.empty() || text.front() == '-') return std::nullopt;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || value > most) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

// A text of digits alone. nullopt: anything else, a sign too, or more than `most`.
template <class Number = int>
std::optional<Number> whole_number(std::string_view text, Number most = std::numeric_limits<Number>::max()) {
  const std::optional<Number> value = take_number<Number>(text, most);
  return text.empty() ? value : std::nullopt;
}

// sum + count * times; the largest number there is where it would be more: counts and times come from
// recordings and from other programs, which may say anything. Precondition: none is negative.
constexpr std::int64_t add_times(std::int64_t sum, std::int64_t count, std::int64_t times) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  if (times > 0 && count > kMost / times) return kMost;
  return count * times > kMost - sum ? kMost : sum + count * times;
}

}  // namespace tessera
