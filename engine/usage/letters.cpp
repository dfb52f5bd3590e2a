// What owners are told: in the language that they are written to in, not in the reader's.
#include <fmt/core.h>

#include <map>

#include "engine/time.hpp"
#include "engine/usage/report.hpp"

namespace tessera::usage {

std::vector<Letter> letters(const std::vector<Waste>& all, TimePoint from, TimePoint to) {
  std::map<std::string, std::string> texts;
  for (const Waste& one : all) {
    if (one.user.empty() || one.kind == "rogue") continue;  // nothing of theirs was held there
    const std::string much = one.slice_hours ? fmt::format("{:.1f} slice-hours", *one.slice_hours)
                                             : fmt::format("{:.1f} h", one.hours.value_or(0));
    texts[one.user] +=
        fmt::format("  {} {} on {}{}: {} {} ({})\n", one.workload, one.profile, one.node,
                    one.cluster.empty() ? "" : " of " + one.cluster.text, much, one.kind, one.advice);
  }
  const std::string period = fmt::format("  ({}/{})\n", utc_text(from), utc_text(to));
  std::vector<Letter> letters;
  for (auto& [user, lines] : texts)
    letters.push_back(
        {user, "These GPU slices were held and not used, or larger than needed:\n" + lines + period});
  return letters;
}

}  // namespace tessera::usage
