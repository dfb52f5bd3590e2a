#include "engine/usage/limits.hpp"

#include <fmt/core.h>

#include "engine/query/value.hpp"

namespace tessera::usage {
namespace {

std::string time_text(Duration time) { return query::duration_text(time / std::chrono::seconds(1)); }

}  // namespace

std::string limits_text(const Limits& limits, bool of_rounds) {
  const std::string idle =
      fmt::format("counted as idle below {:g} % for {}", limits.idle_below, time_text(limits.idle_after));
  if (!of_rounds) return fmt::format("{}, as too big with {:g} % to spare", idle, limits.spare);
  return fmt::format(
      "{}, as parked from {:g} % of memory, as too big with {:g} % to spare above the {:g}th percentile of "
      "use, as unasked after {}, as rogue after {} from {:g} % of memory",
      idle, limits.parked_from, limits.spare, limits.percentile, time_text(limits.unasked_after),
      time_text(limits.rogue_after), limits.rogue_memory);
}

}  // namespace tessera::usage
