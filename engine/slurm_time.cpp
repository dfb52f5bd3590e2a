#include "engine/slurm_time.hpp"

#include <algorithm>
#include <vector>

#include "engine/number.hpp"

namespace tessera {

std::optional<Duration> slurm_time_limit(std::string_view text) {
  constexpr long kMostDays = 100'000;
  std::vector<long> parts;
  const std::size_t dash = text.find('-');
  const auto number = [&](std::string_view word) {
    parts.push_back(whole_number<long>(word, kMostDays * 1440).value_or(-1));
  };
  if (dash != std::string_view::npos) number(text.substr(0, dash));
  std::string_view rest = dash == std::string_view::npos ? text : text.substr(dash + 1);
  while (parts.size() <= 4) {
    const std::size_t colon = rest.find(':');
    number(rest.substr(0, colon));
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  if (parts.size() > 4 || std::find(parts.begin(), parts.end(), -1) != parts.end()) return std::nullopt;
  const auto at = [&](std::size_t i) { return i < parts.size() ? parts[i] : 0; };
  long seconds = 0;
  if (dash != std::string_view::npos)
    seconds = at(0) * 86400 + at(1) * 3600 + at(2) * 60 + at(3);
  else if (parts.size() == 3)
    seconds = at(0) * 3600 + at(1) * 60 + at(2);
  else
    seconds = parts.size() > 3 ? 0 : at(0) * 60 + at(1);
  return seconds > 0 && seconds <= kMostDays * 86400 ? std::optional<Duration>(seconds * 1000) : std::nullopt;
}

}  // namespace tessera
