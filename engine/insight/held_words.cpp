#include "engine/insight/held_words.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/sharing/units.hpp"

namespace tessera::insight {
namespace {

// Whole GPUs, then instances by their compute slices, then shares: a narrow list cuts off the end.
int size_rank(std::string_view name, Scheduler scheduler) {
  constexpr int kWholeRank = 0, kSharesRank = 10;
  if (name.starts_with("MPS") || name.starts_with("shar") || sharing::is_memory(name, scheduler))
    return kSharesRank;
  const std::size_t at = name.find("g.");
  const bool sized = at != std::string_view::npos && at > 0 && name[at - 1] >= '1' && name[at - 1] <= '9';
  return sized ? kSharesRank - (name[at - 1] - '0') : kWholeRank;
}

}  // namespace

std::string held_text(const UserSum& sum) {
  const std::map<std::string, int> named = held_in_words(sum);
  std::vector<std::pair<std::string, int>> held(named.begin(), named.end());
  std::stable_sort(held.begin(), held.end(), [&](const auto& a, const auto& b) {
    return size_rank(a.first, sum.scheduler) < size_rank(b.first, sum.scheduler);
  });
  std::string text;
  for (const auto& [name, count] : held)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", count,
                        sharing::is_memory(name, sum.scheduler) ? " " : " × ", name);
  return text;
}

}  // namespace tessera::insight
