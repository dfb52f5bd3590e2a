#include "engine/history/gaps.hpp"

#include <algorithm>

namespace tessera::history {
namespace {

constexpr Duration kLeastGap{180'000};

}  // namespace

Duration longest_step(const Summary& summary, Duration pace) {
  return std::max({kLeastGap, 4 * summary.every.value_or(Duration{0}), pace + pace / 2});
}

std::vector<Gap> gaps_of(const std::vector<Sample>& samples, Figure figure, TimePoint to, Duration pace) {
  const Duration longest = longest_step(summary_of(samples, figure), pace);
  std::vector<Gap> gaps;
  std::optional<TimePoint> before;
  const auto until = [&](TimePoint at) {
    if (before && at - *before > longest) gaps.push_back({*before, at});
    before = at;
  };
  for (const Sample& sample : samples)
    if (figure_of(sample, figure) && sample.at <= to) until(sample.at);
  until(to);
  return gaps;
}

}  // namespace tessera::history
