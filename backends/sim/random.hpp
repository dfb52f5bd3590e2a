// Chance without state: every draw is a hash of the seed and of what it is for.
//
// No std distributions (their results differ between libraries) and no generator to carry along: the same
// seed, purpose and count give the same draw on every machine, in whatever order they are asked for.
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <string_view>

namespace tessera::sim {

__extension__ using Wide = unsigned __int128;

// splitmix64's finishing step: a good mix of all bits.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

template <class... More>
constexpr std::uint64_t draw(std::uint64_t seed, More... more) {
  std::uint64_t h = mix(seed);
  ((h = mix(h ^ static_cast<std::uint64_t>(more))), ...);
  return h;
}

constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t h = 0xCBF29CE484222325ull;
  for (char c : text) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ull;
  return mix(h);
}

// 0 .. n-1; n > 0.
constexpr std::uint64_t below(std::uint64_t drawn, std::uint64_t n) {
  return static_cast<std::uint64_t>((static_cast<Wide>(drawn) * n) >> 64);
}

// low .. high, both included; low <= high.
constexpr std::int64_t between(std::uint64_t drawn, std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(below(drawn, static_cast<std::uint64_t>(high - low) + 1));
}

// As between(), but small values are more likely than large ones: most jobs are short, a few are long.
constexpr std::int64_t mostly_low(std::uint64_t drawn, std::int64_t low, std::int64_t high) {
  std::uint64_t u = drawn >> 32;
  std::uint64_t squared = (u * u) >> 32;
  return low + static_cast<std::int64_t>((static_cast<Wide>(high - low) * squared) >> 32);
}

// 0 <= result < 1, for telemetry.
constexpr float unit(std::uint64_t drawn) { return static_cast<float>(drawn >> 40) / 16777216.0f; }

}  // namespace tessera::sim
