// One cell of a table, before it becomes text: the same for the console, the command line, sort and filter.
// Threads: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "engine/model/units.hpp"

namespace tessera::query {

struct Unknown {  // the source has not told yet: shown as ?
  friend auto operator<=>(Unknown, Unknown) = default;
};
struct NotTold {  // the source cannot tell: shown as n/a
  friend auto operator<=>(NotTold, NotTold) = default;
};

struct AtLeast {  // so much was seen, and it may be more: shown as >=12 min
  explicit AtLeast(std::int64_t least) : number(least) {}
  std::int64_t number;
  friend auto operator<=>(const AtLeast&, const AtLeast&) = default;
};

using Value = std::variant<Unknown, NotTold, std::string, std::int64_t, double, AtLeast>;

// How a number reads.
enum class Format : std::uint8_t {
  text,
  count,
  percent,   // double 0..100
  mib,       // int64 MiB, shown as GiB or MiB
  duration,  // int64 seconds, shown "3 d 04 h"
  celsius,
  watts,
  time,  // int64 seconds since the epoch, shown as local ISO time
};

std::string to_text(const Value& value, Format format);
// "45 s", "12 min", "2 h 10 min", "3 d 04 h"
std::string duration_text(std::int64_t seconds);
// "9.75 GiB", "512 MiB"
std::string memory_text(std::int64_t mib);

// Natural order of names: gpu2 before gpu10, case folded first. Negative, 0 or positive, as strcmp.
int natural_compare(std::string_view a, std::string_view b);

// Total order for sorting: unknown last, numbers before text, text in natural order (gpu2 before gpu10).
bool sorts_before(const Value& a, const Value& b);

}  // namespace tessera::query
