#include "engine/usage/limits.hpp"

#include <fmt/core.h>

#include <cmath>

#include "engine/query/value.hpp"
#include "engine/usage/limits_of_held.hpp"
#include "engine/usage/limits_of_recording.hpp"

namespace tessera::usage {
namespace {

std::string time_text(Duration time) { return query::duration_text(time / std::chrono::seconds(1)); }

}  // namespace

Status can_be_told_by_recording(const Limits& limits) {
  if (std::abs(limits.idle_below - Limits{}.idle_below) < 1e-9) return Done{};
  return Error{
      "cannot tell what was idle",
      fmt::format("idle-below is {:g}, and a recording tells exactly what was used below 1 %, of other "
                  "use only to 10 points",
                  limits.idle_below),
      "--idle-below 1 (idle-below in config.yaml), or --source prometheus where that is set"};
}

std::string limits_of_held(const Limits& limits) {
  return fmt::format(
      "counted as idle below {:g} % for {}, as parked from {:g} % of memory, as too big with {:g} % to spare "
      "above percentile {:g} of use",
      limits.idle_below, time_text(limits.idle_after), limits.parked_from, limits.spare, limits.percentile);
}

std::string limits_text(const Limits& limits, bool of_rounds) {
  if (!of_rounds)
    return fmt::format("counted as idle below {:g} % for {}, as too big with {:g} % to spare",
                       limits.idle_below, time_text(limits.idle_after), limits.spare);
  return fmt::format("{}, as unasked after {}, as rogue after {} from {:g} % of memory",
                     limits_of_held(limits), time_text(limits.unasked_after), time_text(limits.rogue_after),
                     limits.rogue_memory);
}

}  // namespace tessera::usage
