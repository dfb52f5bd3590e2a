// Figures that move all the time, as one character each: the level that a measured value is nearest to.
//
// All nodes stand in one string by their names, '|' between them, and of each its GPUs and then the slices of
// each GPU, so that a round of thousands of GPUs is a few kilobytes that compress well and that people can
// read: '0' is nothing, then '1' to '9', letters, and some signs. '.' did not move, '-' is n/a. Where a
// node's letters end, nothing moved. Threads: pure functions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tessera::record {

inline constexpr char kUnmoved = '.', kNotAvailable = '-', kNextNode = '|';
// No quote, backslash, blank, comma, and none of the signs above.
inline constexpr std::string_view kLevels =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!#$%&()*+/:;<=>?@[]^_`{}~";

// The level of each character; -1: none is written like that.
inline constexpr auto kLevelOf = [] {
  std::array<signed char, 256> levels{};
  levels.fill(-1);
  for (std::size_t level = 0; level < kLevels.size(); ++level)
    levels[static_cast<unsigned char>(kLevels[level])] = static_cast<signed char>(level);
  return levels;
}();

// One figure's levels: 0 is what is below 1, then, where asked for, a level of 1 for the rest up to half a
// step, then each step.
struct Scale {
  std::int64_t step = 1;
  bool has_one = false;  // below 1 % is no use, and 1 % is some

  // The value that is kept for a measured one. Values beyond the last level keep that one's.
  std::int64_t kept(std::int64_t value) const { return value_of(level_of(value)); }
  char letter_of(std::int64_t value) const { return kLevels[static_cast<std::size_t>(level_of(value))]; }
  // nullopt: no level is written like that.
  std::optional<std::int64_t> value_of(char letter) const {
    const std::int64_t level = kLevelOf[static_cast<unsigned char>(letter)];
    if (level < 0) return std::nullopt;
    return value_of(level);
  }

 private:
  std::int64_t level_of(std::int64_t value) const {
    if (value < 1) return 0;
    const std::int64_t steps = (value + step / 2) / step, first = has_one ? 1 : 0;
    const std::int64_t level = steps == 0 ? first : steps + first;
    return level < std::int64_t(kLevels.size()) ? level : std::int64_t(kLevels.size()) - 1;
  }
  std::int64_t value_of(std::int64_t level) const {
    if (!has_one) return level * step;
    return level <= 1 ? level : (level - 1) * step;
  }
};

inline constexpr Scale kUseScale{5, true};    // percent
inline constexpr Scale kTemperatureScale{3};  // degrees Celsius
inline constexpr Scale kPowerScale{25};       // watts
inline constexpr Scale kYesScale{1};          // 0: no, 1: yes

// use, memory, temperature, power, tensor, memory_busy, licensed; memory is told in MiB instead.
inline constexpr std::size_t kFigureCount = 7;

}  // namespace tessera::record
